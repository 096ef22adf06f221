// What an algorithm does for one run: counted from its plan and by its kernels.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/report.hpp"
#include "cumulo/device.hpp"
#include "cumulo/plan.hpp"

namespace cumulo::bench {

// Steps: what the plan of a teaching form says, else its dispatches. Bytes: every range of an input
// or output that a dispatch binds moves once in it; a clear moves its bytes, a copy twice its.
// Scratch is left out: the plan does not say how much of it a run touches.
Work work_of(const Plan& plan);

// How often the plan's kernels call combine(), counted by themselves in a run of its own. Nothing
// above most_counted elements, or where a kernel has no combine().
Result<std::optional<std::uint64_t>> count_additions(Device& device, Plan plan);
inline constexpr std::uint64_t most_counted = std::uint64_t{1} << 22;

}  // namespace cumulo::bench

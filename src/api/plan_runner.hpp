// Runs any plan once on a device and returns all its buffers: for tests of plans made under limits
// that no device here has, and for looking at a plan's intermediate results.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cumulo/device.hpp"
#include "cumulo/plan.hpp"

namespace cumulo {

// Contents of the plan's buffers, in its order. `input` fills the first, the second starts as
// `output`. bad_argument on the CPU backend, which runs no plans.
Result<std::vector<std::vector<std::byte>>> run_plan(Device& device, const Plan& plan,
                                                     std::span<const std::byte> input,
                                                     std::span<const std::byte> output);

}  // namespace cumulo

// Pieces that the planners of several primitives put plans together from.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cumulo/plan.hpp"
#include "plan/preprocess.hpp"

namespace cumulo::plan {

constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

// A grid of at least `groups` workgroups with as few surplus ones as rounding allows.
std::array<std::uint32_t, 3> fold_grid(std::uint64_t groups, std::uint64_t limit);

struct BoundRange {
  PlanBinding binding;
  std::uint32_t first;  // where the range asked for begins in the binding, in elements
};

// Binds elements [begin, end) of a buffer from the last offset that the device allows.
BoundRange bind_elements(std::uint32_t buffer, std::uint64_t element_bytes, std::uint64_t begin,
                         std::uint64_t end, const Limits& limits);

std::uint32_t add_buffer(Plan& plan, std::string name, std::uint64_t bytes, BufferRole role,
                         std::vector<std::uint32_t> contents = {});

PlanBinding whole(const Plan& plan, std::uint32_t buffer);

// Preprocesses `file`, which has no prelude, and adds it; returns the kernel's number.
Result<std::uint32_t> add_kernel(Plan& plan, std::string_view name, std::string_view file,
                                 const Values& values, std::uint32_t workgroup_size);

// Takes all of a plan into another one, before its own steps that follow. `known`: buffers of
// `part` that are there already, and their numbers in `plan`; the others are added, under the roles
// they have. The status and the renewal are those of the part.
void embed(Plan& plan, Plan part,
           const std::vector<std::pair<std::uint32_t, std::uint32_t>>& known);

// Rounds that lib/search.wgsl takes for n positions with so many probes a search.
std::uint32_t search_rounds(std::uint64_t n, std::uint32_t probes);

}  // namespace cumulo::plan

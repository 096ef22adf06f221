// What the planners of several primitives share: adding buffers and kernels to a plan, and plans to
// plans.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cumulo/plan.hpp"
#include "plan/preprocess.hpp"
#include "plan/slices.hpp"

namespace cumulo::plan {

std::uint32_t add_buffer(Plan& plan, std::string name, std::uint64_t bytes, BufferRole role,
                         std::vector<std::uint32_t> contents = {});

// A buffer of role parameters that holds these words.
std::uint32_t add_parameters(Plan& plan, std::string name, std::vector<std::uint32_t> words);

// Adds the caller's buffers, which are a plan's first ones.
class CallerBuffers {
 public:
  // misalignments: of each buffer, in elements; missing ones are 0.
  CallerBuffers(Plan& plan, std::span<const std::uint32_t> misalignments)
      : plan_(plan), misalignments_(misalignments) {}

  // Returns the buffer's number; its misalignment goes to `at`.
  std::uint32_t add(std::string name, std::uint64_t element_bytes, std::uint64_t elements,
                    BufferRole role, std::uint32_t& at);

 private:
  Plan& plan_;
  std::span<const std::uint32_t> misalignments_;
};

PlanBinding whole(const Plan& plan, std::uint32_t buffer);

// Preprocesses `file`, which has no prelude, and adds it; returns the kernel's number.
Result<std::uint32_t> add_kernel(Plan& plan, std::string_view name, std::string_view file,
                                 const Values& values, std::uint32_t workgroup_size);

// Appends all of `part` to `plan`. `known`: numbers of buffers of `part` that `plan` has already,
// with their numbers there; the other buffers are added. The status and the renewal become those of
// `part`.
void embed(Plan& plan, Plan part,
           const std::vector<std::pair<std::uint32_t, std::uint32_t>>& known);

// Rounds that lib/search.wgsl takes for n positions with so many probes a search.
std::uint32_t search_rounds(std::uint64_t n, std::uint32_t probes);

}  // namespace cumulo::plan

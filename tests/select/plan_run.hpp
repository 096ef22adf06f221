// Runs a selection's plan on a device, whatever device it was made for.
#pragma once

#include <span>
#include <vector>

#include "api/impl.hpp"
#include "api/prepared_plans.hpp"
#include "select/check.hpp"

namespace cumulo::test {

struct PlanRun {
  std::vector<std::vector<std::byte>> contents;  // of the caller's buffers
  std::uint32_t status = 0;
};

// `contents`: of the plan's first buffers, the caller's. Runs `times` without clearing anything.
inline PlanRun run_selection(Device& device, Plan plan,
                             std::vector<std::vector<std::byte>> contents, int times = 1) {
  gpu::Context& context = *device.impl().gpu;
  std::vector<gpu::NativeBuffer> owners;
  std::vector<gpu::BoundBuffer> bound;
  std::vector<std::uint32_t> external;
  for (const auto& bytes : contents) {
    const std::uint64_t size =
        std::max<std::uint64_t>({bytes.size(), 4, plan.buffers[external.size()].bytes});
    owners.push_back(value_of(context.create_buffer(size, "caller's")));
    value_of(context.write(owners.back().get(), 0, bytes));
    bound.push_back({owners.back().get(), 0, size});
    external.push_back(static_cast<std::uint32_t>(external.size()));
  }
  auto prepared = value_of(gpu::PreparedPlan::create(context, std::move(plan), external));
  std::shared_ptr<gpu::Scratch> scratch;
  if (prepared->scratch_bytes() > 0) {
    scratch = value_of(gpu::Scratch::create(context, prepared->scratch_bytes()));
  }
  auto plan_on_buffers = value_of(gpu::BoundPlan::create(prepared, bound, scratch));
  for (int run = 0; run < times; ++run) value_of(submit_recorded(context, plan_on_buffers));
  value_of(context.wait());
  PlanRun run{std::move(contents), 0};
  for (std::size_t k = 0; k < bound.size(); ++k) {
    if (!run.contents[k].empty()) value_of(context.read(bound[k].buffer, 0, run.contents[k]));
  }
  if (const BufferRange status = status_of(plan_on_buffers); status.buffer != nullptr) {
    value_of(context.read(status.buffer, status.offset,
                          std::as_writable_bytes(std::span{&run.status, 1})));
  }
  return run;
}

// Random data for a description, what its buffers are to hold after a run, and whether they do.
struct SelectionCase {
  SelectionDescription d;
  std::vector<std::vector<std::byte>> before;  // of the caller's buffers
  std::vector<std::vector<std::byte>> after;
};

// By the CPU backend, which tests of its own hold against the standard library. Each buffer begins
// with as many elements of garbage as the layout says, and outputs end with some.
SelectionCase make_case(const SelectionDescription& d, const SelectionLayout& layout,
                        std::uint64_t counted_n, double kept, std::uint32_t mean_run);

testing::AssertionResult is_right(Device& device, const Plan& plan, const SelectionCase& c,
                                  int times = 1);

}  // namespace cumulo::test

// What a kernel counted of its own work beside what its plan says.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cumulo/plan.hpp"

namespace cumulo::test {

// Of a plan made with PlanOptions::count_combines and the contents of its buffers after a run.
inline testing::AssertionResult counted_as_planned(
    const Plan& plan, const std::vector<std::vector<std::byte>>& contents) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].name != "counters") continue;
    std::array<std::uint32_t, 3> counted{};
    if (contents[i].size() != sizeof counted) {
      return testing::AssertionFailure() << contents[i].size() << " bytes of counters";
    }
    std::memcpy(counted.data(), contents[i].data(), sizeof counted);
    const auto [additions, steps, barriers] = counted;
    const Counts& planned = *plan.counts;
    if (additions == planned.additions && steps == planned.steps && barriers == planned.barriers) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure()
           << "counted " << additions << " additions, " << steps << " steps, " << barriers
           << " barriers; planned " << planned.additions << ", " << planned.steps << ", "
           << planned.barriers;
  }
  return testing::AssertionFailure() << "nothing was counted";
}

}  // namespace cumulo::test

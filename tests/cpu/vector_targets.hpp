// Tests of the code for processors that this one is not.
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <vector>

namespace cumulo::test {

// Runs f with the code of each vector target that this processor can run.
template <class F>
void on_every_target(F&& f) {
  std::vector<std::int64_t> targets;
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    targets.push_back(rest & -rest);
  }
  for (const std::int64_t target : targets) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
    f(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace cumulo::test

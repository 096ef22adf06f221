// The self-check finds every device here to keep what is promised, and would say where one does
// not.
#include "check.hpp"

namespace cumulo::test {
namespace {

class SelfCheckTest : public DeviceTest {};

TEST_P(SelfCheckTest, ThisDeviceKeepsWhatIsPromised) {
  const SelfCheck check = value_of(self_check(device()));
  EXPECT_TRUE(check.ok());
  EXPECT_EQ(check.cases.empty(), is_cpu()) << "the CPU backend is what the others are held against";
  for (const SelfCheckCase& one : check.cases) {
    EXPECT_TRUE(!one.promised || !one.first_difference) << one.name << " by " << one.algorithm;
  }
}

TEST(SelfCheckVerdict, ADifferenceCountsWhereTheBitsArePromised) {
  SelfCheck check;
  check.cases = {{"a", "reduce-then-scan"}, {"b", "reduce-then-scan", false, {{1, 0.5F, 0}}}};
  EXPECT_TRUE(check.ok());
  check.cases[0].first_difference = {7, 1, 2};
  EXPECT_FALSE(check.ok());
}

CUMULO_ON_EVERY_DEVICE(SelfCheckTest);

}  // namespace
}  // namespace cumulo::test

// RapidCheck: any values, any options. A failure prints its seed and the smallest case found.
#include <rapidcheck.h>

#include "check.hpp"

namespace cumulo::test {
namespace {

class PropertyTest : public DeviceTest {};

template <Element T>
rc::Gen<T> any_value(Operator op) {
  if constexpr (std::is_integral_v<T>) {
    return rc::gen::arbitrary<T>();
  } else {
    // Multiples of 1/8, or factors near 1: no product of them leaves the normal numbers.
    using Real = CombinedAs<T>;
    constexpr Real steps = std::is_same_v<T, Half> ? 1 << 14 : 1 << 20;  // between 1 and 2
    return rc::gen::map(rc::gen::inRange(-1000, 1001), [op](int step) -> T {
      return op == Operator::mul ? Real{1} + static_cast<Real>(step) / steps
                                 : static_cast<Real>(step) / Real{8};
    });
  }
}

template <Element T>
void check_any_scan(Device& device, Operator op) {
  const auto values = *rc::gen::container<std::vector<T>>(any_value<T>(op));
  ScanDescription d{.op = op,
                    .kind = *rc::gen::element(ScanKind::inclusive, ScanKind::exclusive),
                    .reverse = *rc::gen::arbitrary<bool>(),
                    .include_initial = *rc::gen::arbitrary<bool>()};
  if (*rc::gen::arbitrary<bool>()) d.init = Scalar{*any_value<T>(op)};
  const auto right = host_scan_is_right<T>(device, d, values);
  if (!right) RC_FAIL(right.message());
}

TEST_P(PropertyTest, AnyScanOfAnyValuesIsRight) {
  for_each_type_and_operator(types(), [&]<class T>(Operator op) {
    const std::string what = std::string{name(type_of<T>)} + " " + std::string{name(op)};
    EXPECT_TRUE(rc::check(what, [&] { check_any_scan<T>(device(), op); })) << what;
  });
}

// The last value and the total are one, and an exclusive scan is the inclusive one moved by a
// place.
TEST_P(PropertyTest, InclusiveExclusiveAndTotalAgree) {
  EXPECT_TRUE(rc::check("inclusive, exclusive and total agree", [&] {
    const auto values =
        *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>());
    const auto inclusive = value_of(scan<std::uint32_t>(device(), ScanKind::inclusive, values));
    const auto exclusive = value_of(scan<std::uint32_t>(device(), ScanKind::exclusive, values));
    RC_ASSERT(inclusive.total == exclusive.total);
    auto moved = exclusive.values;
    moved.push_back(exclusive.total);
    moved.erase(moved.begin());
    RC_ASSERT(moved == (values.empty() ? std::vector<std::uint32_t>{} : inclusive.values));
  }));
}

CUMULO_ON_EVERY_DEVICE(PropertyTest);

}  // namespace
}  // namespace cumulo::test

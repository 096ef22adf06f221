// RapidCheck: any values, any options. A failure prints its seed and the smallest case found.
#include <rapidcheck.h>

#include "check.hpp"

namespace cumulo::test {
namespace {

// RapidCheck's own containers have some hundred elements at most, which no row or strip takes
// notice of: lengths are drawn up to three strips, and some on both sides of a tile. They grow from
// case to case, and shrink.
class PropertyTest : public DeviceTest {
 protected:
  std::uint64_t any_length(std::uint64_t tile) {
    return *rc::gen::weightedOneOf<std::uint64_t>(
        {{9, rc::gen::inRange<std::uint64_t>(0, 3 * order::strip + 1)},
         {1, rc::gen::inRange<std::uint64_t>(tile - 1, tile + 3)}});
  }
  static std::uint64_t any_seed() {
    return *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
  }
};

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
void check_any_scan(Device& device, Operator op, const std::vector<T>& values) {
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
    EXPECT_TRUE(rc::check(what, [&] {
      check_any_scan<T>(device(), op, *rc::gen::container<std::vector<T>>(any_value<T>(op)));
    })) << what;
  });
}

TEST_P(PropertyTest, AnyScanOfAnyLengthIsRight) {
  for (const Type type : types()) {
    with_type(type, [&]<class T>() {
      const std::uint64_t tile = tile_elements(type);
      const std::string what = std::string{name(type)} + " of any length";
      EXPECT_TRUE(rc::check(what, [&] {
        const Operator op = *rc::gen::suchThat(rc::gen::elementOf(all_operators),
                                               [&](Operator o) { return is_defined(o, type); });
        check_any_scan<T>(device(), op, random_values<T>(any_length(tile), op, any_seed()));
      })) << what;
    });
  }
}

// The last value and the total are one, and an exclusive scan is the inclusive one moved by a
// place.
TEST_P(PropertyTest, InclusiveExclusiveAndTotalAgree) {
  const std::uint64_t tile = tile_elements();
  EXPECT_TRUE(rc::check("inclusive, exclusive and total agree", [&] {
    const auto values = random_values<std::uint32_t>(any_length(tile), Operator::add, any_seed());
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

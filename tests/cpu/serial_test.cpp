// The plain loop: one combine after the other in index order, for floats too.
#include "cpu_scan.hpp"

namespace cumulo::test {
namespace {

template <Element T>
Scan<T> loop(const ScanDescription& d, std::vector<T> in) {
  if (d.reverse) std::ranges::reverse(in);
  const bool has_front = d.init || d.kind == ScanKind::exclusive || d.include_initial;
  using Combined = CombinedAs<T>;
  const Combined first = d.init ? std::get<T>(*d.init) : identity<T>(d.op);
  std::optional<Combined> sum;
  if (has_front) sum = first;
  Scan<T> result;
  if (d.include_initial) result.values.push_back(first);
  for (const T x : in) {
    if (d.kind == ScanKind::exclusive && !d.include_initial) result.values.push_back(*sum);
    sum = sum ? combine(d.op, *sum, Combined{x}) : Combined{x};
    if (d.kind == ScanKind::inclusive || d.include_initial) result.values.push_back(*sum);
  }
  result.total = sum.value_or(first);
  if (d.reverse) std::ranges::reverse(result.values);
  return result;
}

TEST(Serial, EveryTypeOperatorAndOption) {
  for_each_type_and_operator([]<class T>(Operator op) {
    for (const std::size_t n : {0U, 1U, 2U, 5U, 1000U, 4099U}) {
      const auto values = random_values<T>(n, op);
      for (unsigned combination = 0; combination < option_combinations; ++combination) {
        auto d = options<T>(op, combination);
        d.algorithm = Algorithm::serial;
        const auto expected = loop(d, values);
        ASSERT_TRUE(same(expected, run<T>(d, std::span{values}), d, n));
        ASSERT_TRUE(same(expected, run_in_place<T>(d, std::span{values}), d, n));
      }
    }
  });
}

}  // namespace
}  // namespace cumulo::test

// The same bits on any number of threads and by the code for any processor.
#ifndef CUMULO_PLAIN_THREADS
#include <oneapi/tbb/task_group.h>
#endif

#include "cpu_scan.hpp"
#include "every_target.hpp"
#include "with_threads.hpp"

namespace cumulo::test {
namespace {

TEST(Processor, AnyNumberOfThreads) {
  const auto floats = random_values<float>(5'000'011, Operator::add);
  const auto integers = random_values<std::uint64_t>(3'000'017, Operator::add);
  const auto float_sums = expect<float>({}, std::span{floats});
  const auto integer_sums = expect<std::uint64_t>({}, std::span{integers});
  for (const std::size_t threads : {1, 2, 3, 8}) {
    with_threads(threads, [&] {
      for (int repeat = 0; repeat < 5; ++repeat) {
        ASSERT_TRUE(same(float_sums, run<float>({}, std::span{floats}), {}, floats.size()))
            << threads << " threads";
        ASSERT_TRUE(
            same(integer_sums, run<std::uint64_t>({}, std::span{integers}), {}, integers.size()))
            << threads << " threads";
      }
    });
  }
}

// A scan inside a program's own parallel work, several at a time.
TEST(Processor, ScansAtTheSameTime) {
  const auto values = random_values<float>(400'009, Operator::add);
  const auto expected = expect<float>({}, std::span{values});
  with_threads(4, [&] {
    at_the_same_time(16, [&] {
      EXPECT_TRUE(same(expected, run<float>({}, std::span{values}), {}, values.size()));
    });
  });
}

#ifndef CUMULO_PLAIN_THREADS
// A cancelled task group starts no more tasks: none of a scan may be among those left out.
TEST(Processor, ScanInACancelledTaskGroup) {
  const auto values = random_values<float>(400'009, Operator::add);
  const auto expected = expect<float>({}, std::span{values});
  with_threads(4, [&] {
    oneapi::tbb::task_group_context group;
    oneapi::tbb::parallel_for(
        0, 1,
        [&](int) {
          group.cancel_group_execution();
          EXPECT_TRUE(same(expected, run<float>({}, std::span{values}), {}, values.size()));
        },
        group);
  });
}
#endif

TEST(Processor, EveryVectorTarget) {
  on_every_target([](const char* target) {
    SCOPED_TRACE(target);
    for_each_type_and_operator([]<class T>(Operator op) {
      const auto values = random_values<T>(2 * (std::size_t{order::strip} << 6) + 4321, op);
      for (unsigned combination = 0; combination < 4; ++combination) {
        const auto d = options<T>(op, combination);
        ASSERT_TRUE(is_right<T>(d, std::span{values}));
        ASSERT_TRUE(is_right<T>(d, std::span{values}.first(order::strip + 77)));
      }
    });
  });
}

TEST(Processor, EveryVectorTargetStreams) {
  const auto values = random_values<float>(large<float>, Operator::add);
  const auto expected = expect<float>({}, std::span{values});
  on_every_target([&](const char* target) {
    SCOPED_TRACE(target);
    for (const std::size_t shift : {0U, 1U, 7U}) {
      ASSERT_TRUE(same(expected, run<float>({}, std::span{values}, {0, shift}), {}, values.size()));
    }
  });
}

}  // namespace
}  // namespace cumulo::test

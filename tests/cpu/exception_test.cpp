// What a program's own operator or predicate throws, and what memory throws that is not there,
// comes back as an Error; and no worker waits for one that has left.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <utility>

#include "cumulo/cumulo.hpp"
#include "with_threads.hpp"

namespace cumulo::test {
namespace {

constexpr std::size_t many = 1'000'003;

struct Word {
  std::uint32_t value = 0;
};

// Addition, but for one of the elements.
Monoid throwing_at(std::uint32_t bad) {
  return {.name = "throwing",
          .fields = {{"value", Type::u32}},
          .wgsl = "return Element(older.value + newer.value);",
          .identity = bytes_of(Word{}),
          .combine = combine_function<Word>([bad](Word older, Word newer) {
            if (newer.value == bad) throw std::runtime_error("thirteen");
            return Word{older.value + newer.value};
          })};
}

template <class T>
testing::AssertionResult says_what_was_thrown(const Result<T>& result) {
  if (result) return testing::AssertionFailure() << "no error";
  if (result.error().kind != ErrorKind::bad_argument ||
      !result.error().message.ends_with("threw an exception: thirteen")) {
    return testing::AssertionFailure() << describe(result.error());
  }
  return testing::AssertionSuccess();
}

TEST(Exceptions, OfAnOperatorAreErrors) {
  Device device = std::move(Device::open("cpu").value());
  for (const std::size_t threads : {1U, 2U, 8U}) {
    with_threads(threads, [&] {
      for (const std::size_t at : {std::size_t{5}, many / 2, many - 1}) {
        std::vector<Word> words(many, Word{1});
        words[at].value = 13;
        const std::span<const Word> values = words;
        const Monoid monoid = throwing_at(13);
        for (const Algorithm algorithm : {Algorithm::serial, Algorithm::blocked}) {
          EXPECT_TRUE(says_what_was_thrown(
              scan(device, ScanKind::inclusive, values, monoid, {.algorithm = algorithm})));
        }
        EXPECT_TRUE(says_what_was_thrown(reduce(device, values, monoid)));
        // The backend serves on.
        EXPECT_TRUE(scan(device, ScanKind::inclusive, values, throwing_at(1'000'000'000)));
      }
    });
  }
}

TEST(Exceptions, OfAPredicateAreErrors) {
  Device device = std::move(Device::open("cpu").value());
  std::vector<std::uint32_t> values(many, 1);
  values[many - 7] = 13;
  const Predicate predicate{
      .name = "throwing",
      .columns = {{.type = Type::u32}},
      .wgsl = "return x != 13u;",
      .function = predicate_function<std::uint32_t>([](std::uint32_t x, std::uint64_t) {
        if (x == 13) throw std::runtime_error("thirteen");
        return true;
      })};
  for (const std::size_t threads : {1U, 2U, 8U}) {
    with_threads(threads, [&] {
      const std::span<const std::uint32_t> all = values;
      EXPECT_TRUE(says_what_was_thrown(compact(device, all, predicate)));
      EXPECT_TRUE(says_what_was_thrown(partition(device, all, predicate)));
    });
  }
}

TEST(Exceptions, OfMissingMemoryAreErrors) {
  for (const std::uint64_t count :
       {std::uint64_t{1} << 60, std::numeric_limits<std::uint64_t>::max()}) {
    const auto array = host_array<std::uint32_t>(count);
    ASSERT_FALSE(array);
    EXPECT_EQ(array.error().kind, ErrorKind::out_of_memory);
  }
}

}  // namespace
}  // namespace cumulo::test

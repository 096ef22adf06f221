// Unique and runs: where neighbours differ.
#include <limits>

#include "select/check.hpp"

namespace cumulo::test {
namespace {

class RunsTest : public SelectTest {
 protected:
  // Runs of mean length `mean`; now and then a long one, over several tiles.
  template <class T>
  std::vector<T> in_runs(std::uint64_t n, std::uint32_t mean) {
    std::mt19937 random{static_cast<std::uint32_t>(n) + mean};
    std::vector<T> values(n);
    T value{};
    for (std::uint64_t i = 0; i < n;) {
      std::uint64_t length = 1 + random() % (2 * mean);
      if (random() % 512 == 0) length += 20'000;
      // Only one word of larger elements changes, and not always the same.
      auto words = std::as_writable_bytes(std::span{&value, 1});
      words[random() % sizeof(T)] ^= static_cast<std::byte>(1 + random() % 255);
      for (; length > 0 && i < n; --length) values[i++] = value;
    }
    return values;
  }

  template <class T>
  void expect_right(const std::vector<T>& values) {
    std::vector<T> heads;
    std::vector<std::uint32_t> starts, lengths;
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      if (i == 0 || std::memcmp(&values[i], &values[i - 1], sizeof(T)) != 0) {
        heads.push_back(values[i]);
        starts.push_back(i);
        lengths.push_back(0);
      }
      ++lengths.back();
    }
    const std::span<const T> all = values;
    EXPECT_TRUE(holds(heads, value_of(unique(device(), all)))) << values.size();
    const auto found = value_of(runs(device(), all));
    EXPECT_TRUE(holds(heads, found.values)) << values.size();
    EXPECT_TRUE(holds(starts, found.starts)) << values.size();
    EXPECT_TRUE(holds(lengths, found.lengths)) << values.size();
    // Room for fewer runs than there are: the last one has its whole length all the same.
    const SelectionDescription d{.n = values.size(),
                                 .arrays = {{sizeof(T)}},
                                 .heads = true,
                                 .lengths = true,
                                 .capacity = heads.size() / 2};
    auto kept = poisoned<T>(result_count(d));
    auto some = poisoned<std::uint32_t>(result_count(d));
    const auto report = value_of(select_bytes(device(), d, {{std::as_bytes(std::span{values})}},
                                              {{bytes_in(kept)}, {}, some}));
    EXPECT_EQ(report.count, heads.size());
    EXPECT_TRUE(holds(first_of(heads, d.capacity), kept));
    EXPECT_TRUE(holds(first_of(lengths, d.capacity), some));
  }
};

TEST_P(RunsTest, EverySize) {
  for (const std::uint64_t n : edges(most())) {
    for (const std::uint32_t mean : {1U, 4U, 300U}) expect_right(in_runs<std::uint32_t>(n, mean));
  }
}

TEST_P(RunsTest, OneRunAndNone) {
  const std::uint64_t n = std::min<std::uint64_t>(most(), 50'001);
  expect_right(std::vector<std::uint32_t>(n, 7));
  expect_right(counting(n));
}

TEST_P(RunsTest, KeysOfSeveralWords) {
  const std::uint64_t n = std::min<std::uint64_t>(most(), 20'001);
  expect_right(in_runs<std::uint64_t>(n, 3));
  expect_right(in_runs<Triple>(n, 3));
  expect_right(in_runs<Line>(n, 3));
}

TEST_P(RunsTest, FloatsAreEqualWhereTheirBytesAre) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values{0.0F, -0.0F, -0.0F, nan, nan, 1.0F};
  const auto found = value_of(runs(device(), std::span<const float>{values}));
  EXPECT_EQ(found.lengths, (std::vector<std::uint32_t>{1, 2, 2, 1}));
  EXPECT_EQ(value_of(unique_indices(device(), std::span<const float>{values})), found.starts);
}

CUMULO_ON_EVERY_DEVICE(RunsTest);

}  // namespace
}  // namespace cumulo::test

// The CPU's compact, partition, unique and runs against plain loops, with guards around every
// output.
#include "cpu/select.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "every_target.hpp"

namespace cumulo::test {
namespace {

constexpr std::byte poison{0xa5};
constexpr std::size_t guard = 64;  // bytes on either side of an output

// Room for an output between two guards.
class Guarded {
 public:
  // It begins `shift` bytes behind a multiple of 16.
  Guarded(std::size_t bytes, std::size_t shift)
      : bytes_(bytes), begin_(guard + shift), memory_(begin_ + bytes + guard, poison) {}
  std::byte* data() { return memory_.data() + begin_; }
  // Only the first `written` bytes may have changed, and they are as expected.
  testing::AssertionResult holds(std::span<const std::byte> expected) const {
    if (expected.size() > bytes_) return testing::AssertionFailure() << "more than there is room";
    for (std::size_t k = 0; k < memory_.size(); ++k) {
      const bool inside = k >= begin_ && k < begin_ + expected.size();
      const std::byte wanted = inside ? expected[k - begin_] : poison;
      if (memory_[k] == wanted) continue;
      return testing::AssertionFailure()
             << "byte " << static_cast<std::ptrdiff_t>(k) - static_cast<std::ptrdiff_t>(begin_)
             << " of " << expected.size() << " differs";
    }
    return testing::AssertionSuccess();
  }

 private:
  std::size_t bytes_;
  std::size_t begin_;
  std::vector<std::byte> memory_;
};

struct Input {
  std::vector<std::vector<std::byte>> arrays;
  std::vector<std::byte> flags;
};

struct Expected {
  std::vector<std::vector<std::byte>> kept;
  std::vector<std::uint32_t> indices;
  std::vector<std::uint32_t> lengths;
  cpu::SelectCounts counts;
};

template <class T>
std::span<const std::byte> bytes(const std::vector<T>& values) {
  return std::as_bytes(std::span{values});
}

bool holds(const Predicate& predicate, const SelectionDescription& d, const Input& in,
           std::uint64_t i) {
  std::vector<const std::byte*> columns;
  for (std::size_t c = 0; c < predicate.columns.size(); ++c) {
    columns.push_back(in.arrays[c].data() + i * d.arrays[c].element_bytes);
  }
  std::uint8_t keep = 0;
  predicate.function(columns.data(), i, 1, &keep);
  return keep != 0;
}

bool is_flagged(FlagType type, const std::vector<std::byte>& flags, std::uint64_t i) {
  if (type == FlagType::u8) return flags[i] != std::byte{0};
  if (type == FlagType::bits) return (flags[i / 8] >> (i % 8) & std::byte{1}) != std::byte{0};
  return std::any_of(flags.begin() + static_cast<std::ptrdiff_t>(4 * i),
                     flags.begin() + static_cast<std::ptrdiff_t>(4 * i + 4),
                     [](std::byte b) { return b != std::byte{0}; });
}

Expected expected_of(const SelectionDescription& d, const Input& in) {
  std::array<std::vector<std::uint64_t>, 3> kinds;
  for (std::uint64_t i = 0; i < d.n; ++i) {
    bool first = false;
    if (d.flags) {
      first = is_flagged(*d.flags, in.flags, i);
    } else if (d.heads) {
      const std::size_t size = d.arrays[0].element_bytes;
      const std::byte* const x = in.arrays[0].data() + i * size;
      first = i == 0 || std::memcmp(x, x - size, size) != 0;
    } else {
      first = holds(*d.predicate, d, in, i);
    }
    const bool second = !first && d.second && holds(*d.second, d, in, i);
    kinds[first ? 0 : second ? 1 : 2].push_back(i);
  }
  Expected e;
  e.counts = {kinds[0].size(), kinds[1].size()};
  std::vector<std::uint64_t> order = kinds[0];
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint64_t next = k + 1 < order.size() ? order[k + 1] : d.n;
    e.lengths.push_back(static_cast<std::uint32_t>(next - order[k]));
  }
  if (d.rest != Rest::dropped) {
    order.insert(order.end(), kinds[1].begin(), kinds[1].end());
    order.insert(order.end(), kinds[2].begin(), kinds[2].end());
  }
  if (order.size() > d.capacity) order.resize(d.capacity);
  if (e.lengths.size() > d.capacity) e.lengths.resize(d.capacity);
  for (std::size_t a = 0; a < d.arrays.size(); ++a) {
    if (!d.arrays[a].is_kept) continue;
    std::vector<std::byte>& kept = e.kept.emplace_back();
    const std::size_t size = d.arrays[a].element_bytes;
    for (const std::uint64_t i : order) {
      const std::byte* const x = in.arrays[a].data() + i * size;
      kept.insert(kept.end(), x, x + size);
    }
  }
  for (const std::uint64_t i : order) e.indices.push_back(static_cast<std::uint32_t>(i));
  return e;
}

void check_selection(const SelectionDescription& d, const Input& in, const std::string& what,
                     std::size_t shift = 0) {
  const Expected expected = expected_of(d, in);
  cpu::SelectArrays arrays;
  for (const auto& array : in.arrays) arrays.arrays.push_back(array.data());
  arrays.flags = in.flags.data();
  const std::uint64_t room = result_count(d);
  std::vector<Guarded> kept;
  for (const SelectionArray& array : d.arrays) {
    if (array.is_kept) kept.emplace_back(room * array.element_bytes, shift);
  }
  for (Guarded& output : kept) arrays.kept.push_back(output.data());
  Guarded indices(room * 4, shift);
  Guarded lengths(room * 4, shift);
  if (d.indices) arrays.indices = reinterpret_cast<std::uint32_t*>(indices.data());
  if (d.lengths) arrays.lengths = reinterpret_cast<std::uint32_t*>(lengths.data());
  const auto counts = cpu::select(d, arrays);
  ASSERT_TRUE(counts) << what;
  EXPECT_EQ(counts->count, expected.counts.count) << what;
  EXPECT_EQ(counts->second, expected.counts.second) << what;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    EXPECT_TRUE(kept[k].holds(expected.kept[k])) << what << ", array " << k;
  }
  const std::vector<std::uint32_t> none;
  EXPECT_TRUE(indices.holds(bytes(d.indices ? expected.indices : none))) << what << ", indices";
  EXPECT_TRUE(lengths.holds(bytes(d.lengths ? expected.lengths : none))) << what << ", lengths";
}

// Words whose low bits decide: kept in that share, in runs of that length on average.
std::vector<std::byte> random_elements(std::uint64_t n, std::size_t size, double change,
                                       std::mt19937_64& random) {
  std::vector<std::byte> data(n * size);
  std::uint32_t word = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    if (std::uniform_real_distribution(0.0, 1.0)(random) < change) {
      word = static_cast<std::uint32_t>(random());
    }
    // Elements that differ in their last word only.
    std::memcpy(data.data() + i * size + size - 4, &word, 4);
  }
  return data;
}

std::vector<std::byte> random_flags(FlagType type, std::uint64_t n, double share,
                                    std::mt19937_64& random) {
  std::vector<std::byte> flags(type == FlagType::u8 ? n : flag_bytes(type, n), std::byte{0});
  if (type == FlagType::bits) {
    // Bits behind the last element are no flags.
    std::ranges::fill(flags, std::byte{0xff});
  }
  for (std::uint64_t i = 0; i < n; ++i) {
    const bool set = std::uniform_real_distribution(0.0, 1.0)(random) < share;
    const auto any = static_cast<std::uint8_t>(1U << (random() % 8));
    if (type == FlagType::u8) flags[i] = set ? std::byte{any} : std::byte{0};
    if (type == FlagType::u32) flags[4 * i + random() % 4] = set ? std::byte{any} : std::byte{0};
    if (type == FlagType::bits && !set) flags[i / 8] &= ~(std::byte{1} << (i % 8));
  }
  return flags;
}

Predicate words_below(std::uint32_t limit, std::size_t size) {
  Predicate predicate{.name = "below",
                      .columns = {{"x", Type::u32, static_cast<std::uint32_t>(size / 4)}},
                      .wgsl = "return false;"};
  predicate.function = [=](const std::byte* const* columns, std::uint64_t, std::uint32_t count,
                           std::uint8_t* keep) {
    for (std::uint32_t k = 0; k < count; ++k) {
      std::uint32_t word = 0;
      std::memcpy(&word, columns[0] + k * size + size - 4, 4);
      keep[k] = word < limit ? 1 : 0;
    }
  };
  return predicate;
}

const std::uint64_t sizes[] = {0,    1,    2,    63,    64,    65,    127,   128,   1000,
                               4096, 4097, 8191, 32768, 32769, 65535, 65536, 70001, 200'003};

TEST(CpuSelectTest, FlagsOfEveryTypeAndShare) {
  std::mt19937_64 random(1);
  for (const std::uint64_t n : sizes) {
    for (const FlagType type : {FlagType::u8, FlagType::u32, FlagType::bits}) {
      for (const double share : {0.0, 0.01, 0.5, 1.0}) {
        const Input in{{random_elements(n, 4, 1, random)}, random_flags(type, n, share, random)};
        SelectionDescription d{
            .n = n, .arrays = {{4, true}}, .flags = type, .indices = random() % 2 == 0};
        for (const Rest rest : {Rest::dropped, Rest::follows}) {
          d.rest = rest;
          check_selection(d, in, "n " + std::to_string(n) + ", share " + std::to_string(share));
        }
      }
    }
  }
}

TEST(CpuSelectTest, ElementsOfEverySize) {
  std::mt19937_64 random(2);
  for (std::uint32_t size = 4; size <= 64; size += 4) {
    for (const std::uint64_t n : {1, 65, 5000, 40'001}) {
      const Input in{{random_elements(n, size, 0.2, random), random_elements(n, 8, 1, random)},
                     random_flags(FlagType::u8, n, 0.4, random)};
      const std::string what = std::to_string(size) + " bytes, n " + std::to_string(n);
      check_selection({.n = n, .arrays = {{size, true}, {8, true}}, .flags = FlagType::u8}, in,
                      what);
      check_selection({.n = n,
                       .arrays = {{size, true}, {8, false}},
                       .heads = true,
                       .indices = true,
                       .lengths = true},
                      in, what);
      check_selection({.n = n,
                       .arrays = {{size, true}, {8, true}},
                       .predicate = words_below(1U << 30, size),
                       .second = words_below(3U << 30, size),
                       .rest = Rest::three_way,
                       .indices = true},
                      in, what);
    }
  }
}

TEST(CpuSelectTest, EveryVectorTarget) {
  on_every_target([](const char* target) {
    std::mt19937_64 random(6);
    for (const std::uint32_t size : {4, 8}) {
      for (const std::uint64_t n : {65, 4097, 70'001}) {
        for (const FlagType type : {FlagType::u8, FlagType::u32, FlagType::bits}) {
          const Input in{{random_elements(n, size, 0.3, random)},
                         random_flags(type, n, 0.5, random)};
          check_selection({.n = n, .arrays = {{size, true}}, .flags = type, .indices = true}, in,
                          target);
        }
        const Input in{{random_elements(n, size, 0.3, random)}, {}};
        check_selection({.n = n, .arrays = {{size, true}}, .heads = true, .lengths = true}, in,
                        target);
      }
    }
  });
}

TEST(CpuSelectTest, RunsAcrossBlocks) {
  std::mt19937_64 random(3);
  for (const std::uint64_t n : sizes) {
    for (const double change : {0.0, 0.00005, 0.01, 0.3, 1.0}) {
      const Input in{{random_elements(n, 4, change, random)}, {}};
      check_selection(
          {.n = n, .arrays = {{4, true}}, .heads = true, .indices = true, .lengths = true}, in,
          "n " + std::to_string(n) + ", change " + std::to_string(change));
    }
  }
}

TEST(CpuSelectTest, NothingPastTheCapacity) {
  std::mt19937_64 random(4);
  for (const std::uint64_t n : {1, 64, 1000, 70'001}) {
    const Input in{{random_elements(n, 4, 0.5, random), random_elements(n, 12, 1, random)},
                   random_flags(FlagType::u8, n, 0.5, random)};
    for (const std::uint64_t capacity : {std::uint64_t{0}, std::uint64_t{1}, n / 4, n / 2, n}) {
      const std::string what = "n " + std::to_string(n) + ", capacity " + std::to_string(capacity);
      check_selection({.n = n,
                       .arrays = {{4, true}, {12, true}},
                       .flags = FlagType::u8,
                       .indices = true,
                       .capacity = capacity},
                      in, what);
      check_selection({.n = n,
                       .arrays = {{4, true}},
                       .heads = true,
                       .indices = true,
                       .lengths = true,
                       .capacity = capacity},
                      in, what);
    }
  }
}

// So large that the results go past the caches, line by line from wherever they begin.
TEST(CpuSelectTest, LargeResults) {
  std::mt19937_64 random(7);
  for (const std::uint32_t size : {4, 8}) {
    const std::uint64_t n = (std::uint64_t{16} << 20) / size + 70'007;
    const auto elements = random_elements(n, size, 0.3, random);
    std::size_t shift = 0;
    for (const double share : {0.001, 0.5, 1.0}) {
      const Input in{{elements}, random_flags(FlagType::u8, n, share, random)};
      SelectionDescription d{.n = n, .arrays = {{size, true}}, .flags = FlagType::u8};
      check_selection(d, in, "large", shift);
      d.rest = Rest::follows;
      check_selection(d, in, "large, partition", shift);
      shift += 28;
    }
    const Input in{{elements}, {}};
    check_selection({.n = n,
                     .arrays = {{size, true}},
                     .heads = true,
                     .indices = true,
                     .lengths = true,
                     .capacity = n / 5},
                    in, "large, runs", 4);
  }
}

TEST(CpuSelectTest, ManyRunsAgree) {
  std::mt19937_64 random(5);
  const std::uint64_t n = 300'000;
  const Input in{{random_elements(n, 4, 1, random)}, random_flags(FlagType::u8, n, 0.5, random)};
  for (int k = 0; k < 50; ++k) {
    check_selection({.n = n, .arrays = {{4, true}}, .flags = FlagType::u8}, in, "again");
  }
}

}  // namespace
}  // namespace cumulo::test

// Calls cpu::scan on guarded memory, and says what it must give.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpu/scan.hpp"
#include "scan/random_value.hpp"
#include "scan/reference.hpp"

#if defined(__SANITIZE_THREAD__)
#define CUMULO_TEST_THREAD_SANITIZER 1
#elif defined(__has_feature)
#define CUMULO_TEST_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#define CUMULO_TEST_THREAD_SANITIZER 0
#endif

namespace cumulo::test {

// The thread sanitizer makes every access to memory many times slower: what only repeats the same
// accesses is left out under it.
inline constexpr bool thread_sanitizer = CUMULO_TEST_THREAD_SANITIZER != 0;

// Elements whose results are streamed past the caches by several workers: the CPU backend does so
// from 16 MiB on, in blocks of 256 KiB.
template <Element T>
constexpr std::size_t large = (std::size_t{thread_sanitizer ? 16 : 24} << 20) / sizeof(T) + 777;

template <Element T>
struct Scan {
  std::vector<T> values;
  T total{};
};

// Elements of distance from memory that is aligned to 64 bytes.
struct Shift {
  std::size_t in = 0;
  std::size_t out = 0;
};

template <Element T>
class Guarded {
 public:
  Guarded(std::size_t count, std::size_t shift) : memory_(count + 2 * guard + most_shift) {
    std::memset(static_cast<void*>(memory_.data()), poison, memory_.size() * sizeof(T));
    const std::size_t past = reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(T) % line;
    values_ = std::span{memory_}.subspan(guard + (2 * line - past + shift) % line, count);
  }

  std::span<T> values() { return values_; }

  bool intact() const {
    const auto* bytes = reinterpret_cast<const unsigned char*>(memory_.data());
    const auto* first = reinterpret_cast<const unsigned char*>(values_.data());
    const auto* last = first + values_.size_bytes();
    const auto is_poison = [](unsigned char byte) { return byte == poison; };
    return std::all_of(bytes, first, is_poison) &&
           std::all_of(last, bytes + memory_.size() * sizeof(T), is_poison);
  }

 private:
  static constexpr unsigned char poison = 0xCD;
  static constexpr std::size_t line = 64 / sizeof(T);
  static constexpr std::size_t guard = 2 * line;
  static constexpr std::size_t most_shift = line;

  std::vector<T> memory_;
  std::span<T> values_;
};

template <Element T>
Scan<T> unpack(const Result<Scalar>& total, std::span<const T> values) {
  if (!total) {
    ADD_FAILURE() << describe(total.error());
    return {};
  }
  return {{values.begin(), values.end()}, std::get<T>(*total)};
}

template <Element T>
Scan<T> run(ScanDescription d, std::span<const T> in, Shift shift = {}) {
  d.n = in.size();
  d.type = type_of<T>;
  Guarded<T> source(in.size(), shift.in);
  Guarded<T> out(result_count(d), shift.out);
  std::ranges::copy(in, source.values().begin());
  const auto total = cpu::scan(d, source.values().data(), out.values().data());
  EXPECT_TRUE(out.intact()) << "wrote outside the output";
  EXPECT_TRUE(source.intact()) << "wrote outside the input";
  EXPECT_TRUE(in.empty() || std::memcmp(source.values().data(), in.data(), in.size_bytes()) == 0)
      << "changed the input";
  return unpack<T>(total, out.values());
}

template <Element T>
Scan<T> run_in_place(ScanDescription d, std::span<const T> in, std::size_t shift = 0) {
  d.n = in.size();
  d.type = type_of<T>;
  Guarded<T> memory(result_count(d), shift);
  std::ranges::copy(in, memory.values().begin());
  const auto total = cpu::scan(d, memory.values().data(), memory.values().data());
  EXPECT_TRUE(memory.intact()) << "wrote outside the array";
  return unpack<T>(total, memory.values());
}

template <Element T>
Scan<T> expect(const ScanDescription& d, std::span<const T> in) {
  Expected<T> expected = expected_scan<T>(d, in);
  return {std::move(expected.values), expected.total};
}

// Bit for bit; of NaN only that it is one, as its payload is the processor's choice.
template <Element T>
bool same_value(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

inline std::string text_of(const ScanDescription& d, Type type, std::size_t n) {
  return std::string(name(d.kind)) + (d.reverse ? " reverse" : "") + " scan of " +
         std::to_string(n) + " " + std::string(name(type)) + " by " + std::string(name(d.op)) +
         (d.init ? " with init " + to_string(*d.init) : "") +
         (d.include_initial ? " include_initial" : "");
}

template <Element T>
testing::AssertionResult same(const Scan<T>& expected, const Scan<T>& found,
                              const ScanDescription& d, std::size_t n) {
  const auto fail = [&] {
    return testing::AssertionFailure() << text_of(d, type_of<T>, n) << ": ";
  };
  if (expected.values.size() != found.values.size()) {
    return fail() << found.values.size() << " results, expected " << expected.values.size();
  }
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    if (!same_value(expected.values[i], found.values[i])) {
      return fail() << "index " << i << " is " << to_string(Scalar{found.values[i]})
                    << ", expected " << to_string(Scalar{expected.values[i]});
    }
  }
  if (!same_value(expected.total, found.total)) {
    return fail() << "total is " << to_string(Scalar{found.total}) << ", expected "
                  << to_string(Scalar{expected.total});
  }
  return testing::AssertionSuccess();
}

template <Element T>
testing::AssertionResult is_right(const ScanDescription& d, std::span<const T> in,
                                  Shift shift = {}) {
  return same(expect<T>(d, in), run<T>(d, in, shift), d, in.size());
}

template <Element T>
std::vector<T> random_values(std::size_t n, Operator op, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  for (T& value : values) value = random_value<T>(op, random());
  return values;
}

// f.template operator()<T>(op) for all types and the operators defined for them.
template <class F>
void for_each_type_and_operator(F&& f) {
  for (const Type type : all_types) {
    for (const Operator op : all_operators) {
      if (is_defined(op, type)) {
        with_type(type, [&]<class T>() { f.template operator()<T>(op); });
      }
    }
  }
}

// All combinations of the options, by number: 16 of them.
inline constexpr unsigned option_combinations = 16;
template <Element T>
ScanDescription options(Operator op, unsigned combination) {
  ScanDescription d{.type = type_of<T>, .op = op};
  if ((combination & 1) != 0) d.kind = ScanKind::exclusive;
  if ((combination & 2) != 0) d.reverse = true;
  if ((combination & 4) != 0) d.init = Scalar{T{3}};
  if ((combination & 8) != 0) d.include_initial = true;
  return d;
}

// Sizes round which something changes: the units of the order, the blocks that threads draw.
inline std::vector<std::size_t> edge_sizes() {
  std::vector<std::size_t> sizes{0, 1, 2};
  for (const std::size_t edge : {order::quad, 16U, order::row, order::strip, 2 * order::strip,
                                 order::strip << 5, order::strip << 6, 3 * (order::strip << 6)}) {
    for (const std::size_t n : {edge - 1, edge, edge + 1}) sizes.push_back(n);
  }
  return sizes;
}

}  // namespace cumulo::test

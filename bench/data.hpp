// What the benchmarks scan: values whose scan is exact in every order, and keeps changing.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <oneapi/tbb/parallel_for.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string>

#include "bench/report.hpp"
#include "cumulo/error.hpp"
#include "cumulo/monoid.hpp"
#include "cumulo/operator.hpp"
#include "cumulo/type.hpp"

namespace cumulo::bench {

constexpr std::align_val_t array_alignment{std::size_t{1} << 21};  // a huge page

struct FreeLines {
  void operator()(void* p) const { ::operator delete[](p, array_alignment); }
};

template <class T>
using Lines = std::unique_ptr<T[], FreeLines>;

// Uninitialised elements in whole cache lines; null where there is no memory.
template <class T>
Lines<T> allocate_lines(std::size_t n, Pages pages = Pages::ordinary) {
  if (n > (std::size_t{1} << 60) / sizeof(T)) return nullptr;  // the bytes would not fit 64 bits
  const std::size_t bytes = (n * sizeof(T) + 63) / 64 * 64;
  void* const memory = ::operator new[](bytes, array_alignment, std::nothrow);
#ifdef __linux__
  if (memory != nullptr && pages == Pages::huge) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return Lines<T>(static_cast<T*>(memory));
}

// O'Neill's PCG output permutation over one step of a linear congruence.
constexpr std::uint32_t hash(std::uint32_t i) {
  std::uint32_t x = i * 747796405U + 2891336453U;
  x = ((x >> ((x >> 28U) + 4U)) ^ x) * 277803737U;
  return (x >> 22U) ^ x;
}

// Element i of n. Sums, products and extremes of any run of them are exact, so that every order
// gives the same bits; and results go on changing, so that a lost or doubled part shows.
template <Element T>
constexpr T sample(Operator op, std::uint64_t i, std::uint64_t n) {
  const std::uint32_t h = hash(static_cast<std::uint32_t>(i));
  // A slope with noise on it: a new extreme every few dozen elements; halves count to 2048 only.
  const bool is_half = std::is_same_v<T, Half>;
  const std::uint64_t slope = is_half ? i * 1024 / n : i >> 5;
  const T rising = static_cast<T>(static_cast<T>(slope) + static_cast<T>(h % 64));
  if (op == Operator::max) return rising;
  if (op == Operator::min) {
    if constexpr (std::is_unsigned_v<T>) return std::numeric_limits<T>::max() - rising;
    return static_cast<T>(-rising);
  }
  if constexpr (!std::is_integral_v<T>) {
    if (op == Operator::add) return static_cast<T>(static_cast<int>(h % 3) - 1);
    const T size = i % 2 == 0 ? T{2} : T{0.5};  // products stay within a factor of 2
    return h % 2 == 0 ? size : static_cast<T>(-size);
  } else {
    const std::uint64_t wide = std::uint64_t{h} << 32 | hash(~static_cast<std::uint32_t>(i));
    const T random = static_cast<T>(sizeof(T) == 4 ? h : wide);
    if (op == Operator::mul) return random | T{1};            // odd numbers have no zero product
    if (op == Operator::add_saturated) return random & T{1};  // no sum is the largest
    if (op != Operator::bit_and && op != Operator::bit_or) return random;
    // One more bit may be set with every 32nd or 64th part of the way.
    constexpr std::uint64_t bits = 8 * sizeof(T);
    const std::uint64_t allowed = ~std::uint64_t{0} >> (63 - i * bits / n);
    const T some = static_cast<T>(static_cast<std::uint64_t>(random) & allowed);
    return op == Operator::bit_or ? some : static_cast<T>(~some);
  }
}

template <class T>
struct Data {
  std::size_t n = 0;
  Lines<T> in;
  Lines<T> prefixes;  // n + 1: the identity, then the inclusive scan
};

// out_of_memory.
template <class T, class Sample, class Combine>
Result<Data<T>> make_data(std::size_t n, const T& identity, const Sample& sample_at,
                          const Combine& combine_two, Pages pages = Pages::ordinary) {
  Data<T> data{n, allocate_lines<T>(n, pages), allocate_lines<T>(n + 1, pages)};
  if (!data.in || !data.prefixes) {
    return std::unexpected{
        Error{ErrorKind::out_of_memory, "no memory for two arrays of " + std::to_string(n)}};
  }
  tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) { data.in[i] = sample_at(i); });
  data.prefixes[0] = identity;
  // Carried in what two elements combine to.
  auto running = decltype(combine_two(data.in[0], data.in[0]))(data.in[0]);
  data.prefixes[1] = running;
  for (std::size_t i = 1; i < n; ++i) {
    running = combine_two(running, data.in[i]);
    data.prefixes[i + 1] = running;
  }
  return data;
}

template <Element T>
Result<Data<T>> make_data(Operator op, std::size_t n, Pages pages = Pages::ordinary) {
  return make_data<T>(
      n, identity<T>(op), [&](std::size_t i) { return sample<T>(op, i, n); },
      [&](CombinedAs<T> older, CombinedAs<T> newer) { return combine(op, older, newer); }, pages);
}

// The scan from the last element to the first in place of the prefixes: suffixes, then the
// identity.
template <class T, class Combine>
void turn_round(Data<T>& data, const Combine& combine_two) {
  const T identity = data.prefixes[0];
  auto running = decltype(combine_two(data.in[0], data.in[0]))(data.in[data.n - 1]);
  data.prefixes[data.n] = identity;
  data.prefixes[data.n - 1] = running;
  for (std::size_t i = data.n - 1; i-- > 0;) {
    running = combine_two(running, data.in[i]);
    data.prefixes[i] = running;
  }
}

// Maps x -> +-x + b that stay exact, as sums of -1, 0 and 1 do.
inline Affine affine_sample(std::uint64_t i) {
  const std::uint32_t h = hash(static_cast<std::uint32_t>(i));
  return {h / 3 % 2 == 0 ? 1.0F : -1.0F, static_cast<float>(static_cast<int>(h % 3) - 1)};
}

}  // namespace cumulo::bench

// A digest of a result: equal for equal bits, and else with a chance of 1 in 2^64.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "bench/data.hpp"

namespace cumulo::bench {

using Digest = std::array<std::uint32_t, 2>;

// Of a whole number of words; what kernels/digest.wgsl computes.
inline Digest digest_of(std::span<const std::byte> bytes) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, bytes.size() / 4), Digest{},
      [&](const tbb::blocked_range<std::size_t>& range, Digest sums) {
        for (std::size_t at = range.begin(); at < range.end(); ++at) {
          std::uint32_t word = 0;
          std::memcpy(&word, &bytes[4 * at], sizeof word);
          const auto i = static_cast<std::uint32_t>(at);
          sums[0] += hash(word ^ hash(i));
          sums[1] += hash(word + hash(~i));
        }
        return sums;
      },
      [](const Digest& a, const Digest& b) { return Digest{a[0] + b[0], a[1] + b[1]}; });
}

}  // namespace cumulo::bench

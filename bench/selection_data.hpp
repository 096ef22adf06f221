// Which of n elements the measurements of selections select, and the results; the same for CUB.
#pragma once

#include <cstdint>
#include <vector>

namespace cumulo::bench {

inline std::uint32_t hashed(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

struct SelectionData {
  std::vector<std::uint32_t> values;
  std::vector<std::uint32_t> runs;  // of mean length 8
  std::vector<std::uint8_t> flags;
  std::vector<std::uint32_t> flagged, rest, odd, heads, starts;

  SelectionData(std::uint64_t n, double kept) : values(n), runs(n), flags((n + 15) / 16 * 16) {
    const auto limit = static_cast<std::uint64_t>(kept / 100 * 4294967296.0);
    std::uint32_t run = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      values[i] = hashed(i + 1);
      const std::uint32_t random = hashed(i * 2 + 77);
      flags[i] = random < limit ? 1 : 0;
      (flags[i] != 0 ? flagged : rest).push_back(values[i]);
      if ((values[i] & 1) != 0) odd.push_back(values[i]);
      if (i == 0 || (random & 7) == 0) {
        ++run;
        heads.push_back(run);
        starts.push_back(i);
      }
      runs[i] = run;
    }
    flagged.insert(flagged.end(), rest.begin(), rest.end());
  }
};

}  // namespace cumulo::bench

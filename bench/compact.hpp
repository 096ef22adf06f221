// Compact, partition and unique beside what else a C++ program has at hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cumulo/device.hpp"

namespace cumulo::bench {

struct CompactBenchOptions {
  std::vector<std::uint64_t> sizes = {1U << 16, 1U << 20, 1U << 24};
  std::vector<double> shares = {0.01, 0.5, 0.99};  // of the elements that are kept
  std::uint32_t runs = 11;
};

struct CompactRow {
  std::string task;    // "compact by flags", "compact by predicate", "partition", "unique"
  std::string method;  // "cumulo", "std::copy_if, par" ...
  std::uint64_t n = 0;
  double share = 0;  // of unique the share of heads
  ClockKind clock = ClockKind::wall;
  double median_ms = 0;
  double least_ms = 0;  // 0 where the device gives the median alone
  std::string failure;  // then there is no time to report
};

// u32. On the CPU backend all cases of a size and share in one run, interleaved, each result
// compared with the expected one on an output poisoned before; on a GPU ours alone, by its own
// clock where it has one. bad_argument for a size of 0; else what the calls may return.
Result<std::vector<CompactRow>> measure_compact(Device& device, const CompactBenchOptions& options);

std::string to_text(const std::vector<CompactRow>& rows, const DeviceInfo& device);
std::string to_json(const std::vector<CompactRow>& rows, const DeviceInfo& device);

}  // namespace cumulo::bench

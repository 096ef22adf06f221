// Whether a scan of the same input gives the same bits in every run, whatever else runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cumulo/device.hpp"

namespace cumulo::bench {

struct RepeatOptions {
  std::vector<std::uint64_t> sizes = {};  // empty: one of few elements and one of many
  std::uint32_t runs = 1000;
};

struct RepeatRow {
  std::string scan;  // "f32 add"
  std::uint64_t n = 0;
  std::string algorithm;
  std::uint32_t runs = 0;
  std::uint32_t stalled = 0;  // of them: a wait ran out, and they said so
  std::uint32_t others = 0;   // runs whose bits are not the first run's
  std::optional<std::uint32_t> first_other = std::nullopt;  // the first of those
  std::string digest;                                       // of the first run's results and total
  bool as_on_cpu = false;                                   // the CPU backend gives the same bits
  std::optional<std::string> failure = std::nullopt;
  bool refused = false;  // the failure is that the device does not take it: no fault
};

struct RepeatReport {
  DeviceInfo device;
  std::uint64_t other_scans = 0;  // done meanwhile by another thread with a device of its own
  std::vector<RepeatRow> rows;

  bool ok() const;
};

// Scans the same input `runs` times, for every float operator, u64, wide sums and operators that do
// not commute, by each algorithm of the device. Meanwhile another thread scans and copies on
// `other`, a second device of the same adapter, and on the CPU; on a GPU the queue itself holds
// copies and another scan before and after each run. Each run's output is poisoned before, and all
// its words enter a digest. A run that stalls has no result; that is a fault only where the
// device is known to keep waiting workgroups running.
// bad_argument for a size of 0; else what a scan may return.
Result<RepeatReport> measure_repeats(Device& device, Device& other, const RepeatOptions& options);

std::string to_text(const RepeatReport& report);
std::string to_json(const RepeatReport& report);  // schema "cumulo-repeat/1"

}  // namespace cumulo::bench

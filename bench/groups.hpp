// One group of a benchmark: what is timed together, in one run, on the same data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/scan.hpp"
#include "cumulo/device.hpp"
#include "cumulo/scan_description.hpp"

namespace cumulo::bench {

struct GroupScan {
  ScanDescription description;
  Layout layout = Layout::plain;
};

struct Group {
  std::uint64_t n = 0;
  Type type = Type::u32;
  Operator op = Operator::add;
  std::optional<Monoid> monoid = std::nullopt;  // in place of type and operator
  std::vector<GroupScan> scans = {};            // of this n, type and operator
  bool reduces = false;                         // the reduction too
  bool with_work = false;                       // beside the times what the algorithms do
};

// "cumulo", the algorithm where it was asked for, and the layout where it is not plain.
std::string our_name(const GroupScan& scan);

// Host memory, wall clock; copies and, for inclusive sums, what else a C++ program can call.
Result<void> measure_on_host(Device& device, const Group& group, Pages pages, Report& report);

struct GpuTiming {
  double heat_seconds = 0;  // how long the device is kept busy before, so that its clock has risen
  bool wall_clock = false;  // even where the device has a clock
};

// Device memory; an empty dispatch and a dozen copies.
Result<void> measure_on_gpu(Device& device, const Group& group, const GpuTiming& timing,
                            Report& report);

}  // namespace cumulo::bench

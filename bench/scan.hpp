// cumulo's scan and reduction beside copies of the same bytes and, on the host, those that a C++
// program has at hand.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/report.hpp"
#include "cumulo/scan.hpp"

namespace cumulo::bench {

struct ScanBenchOptions {
  std::vector<std::uint64_t> sizes = {};  // empty: as many as suit the device
  std::vector<Type> types = {};           // empty: all that a GPU takes; u32 and f32 on the CPU
  std::vector<Operator> ops = {Operator::add};
  std::vector<ScanKind> kinds = {ScanKind::inclusive};
  std::vector<Algorithm> algorithms = {Algorithm::automatic};
  bool reduces = false;    // the reduction as well
  bool with_work = false;  // beside the times steps, additions and bytes
  std::uint32_t runs = 11;
  std::optional<double> heat_seconds = std::nullopt;  // 0.5 on a hardware GPU, else none
  bool wall_clock = false;                            // even where the device has a clock
};

// All cases of one size, type and operator in one run, interleaved. The result of every timed run
// is compared with the expected one, all elements, on an output poisoned before.
// bad_argument for a size of 0 or an operator that a type lacks; unsupported for a type that the
// device does not take; out_of_memory; device_lost, validation, stalled.
Result<Report> run_scan(Device& device, const ScanBenchOptions& options);

// The reduction alone; the options for scans are not looked at.
Result<Report> run_reduce(Device& device, ScanBenchOptions options);

}  // namespace cumulo::bench

// cumulo's scan and reduction beside copies of the same bytes and, on the host, those that a C++
// program has at hand.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/report.hpp"
#include "cumulo/scan.hpp"

namespace cumulo::bench {

// How the elements lie, and which way they are scanned.
enum class Layout : std::uint8_t { plain, reverse, in_place, odd_offsets, include_initial };

inline constexpr std::array all_layouts{Layout::plain, Layout::reverse, Layout::in_place,
                                        Layout::odd_offsets, Layout::include_initial};
std::string_view name(Layout layout);  // "plain", "reverse", "in-place", ...
std::optional<Layout> parse_layout(std::string_view name);

struct ScanBenchOptions {
  std::vector<std::uint64_t> sizes = {};  // empty: as many as suit the device
  std::vector<Type> types = {};           // empty: all that a GPU takes; u32 and f32 on the CPU
  std::vector<Operator> ops = {Operator::add};
  std::vector<Monoid> monoids = {};  // of Affine elements, beside the types
  std::vector<ScanKind> kinds = {ScanKind::inclusive};
  std::vector<Algorithm> algorithms = {Algorithm::automatic};
  bool reduces = false;  // the reduction as well
  std::vector<Layout> layouts = {Layout::plain};
  bool with_work = false;  // beside the times steps, additions and bytes
  std::uint32_t runs = 11;
  std::optional<double> heat_seconds = std::nullopt;  // 0.5 on a hardware GPU, else none
  bool wall_clock = false;                            // even where the device has a clock
  Pages pages = Pages::ordinary;                      // of the arrays on the CPU
};

// All cases of one size, type and operator in one run, interleaved. The result of every timed run
// is compared with the expected one, all elements, on an output poisoned before.
// bad_argument for a size of 0, an operator that a type lacks, and on the CPU for layouts and
// monoids; unsupported for a type that the device does not take; out_of_memory; device_lost,
// validation, stalled.
Result<Report> run_scan(Device& device, const ScanBenchOptions& options);

// The reduction alone; the options for scans are not looked at.
Result<Report> run_reduce(Device& device, ScanBenchOptions options);

}  // namespace cumulo::bench

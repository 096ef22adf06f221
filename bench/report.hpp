// What a benchmark found: records first, printed afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cumulo/device.hpp"
#include "cumulo/operator.hpp"
#include "cumulo/scan_description.hpp"
#include "cumulo/type.hpp"

namespace cumulo::bench {

// copy: a plain one; the fastest is what the others are measured against
// tuned_copy: one with a scan's own tricks, which tells what is left to gain
// empty: a dispatch that does nothing
enum class Role : std::uint8_t { scan, reduce, copy, tuned_copy, empty };
std::string_view name(Role role);

// Which pages the arrays on the host ask for: those that any program's arrays get, or large ones
// where the system has them.
enum class Pages : std::uint8_t { ordinary, huge };

constexpr const char* name(Pages pages) { return pages == Pages::huge ? "huge" : "ordinary"; }

// What an algorithm does for one run (docs/benchmarks.md says how each is counted).
struct Work {
  std::optional<std::uint64_t> steps = std::nullopt;      // one after the other
  std::optional<std::uint64_t> additions = std::nullopt;  // combines of two elements
  std::uint64_t bytes = 0;  // of input and output, as often as they are moved
};

struct Measurement {
  std::string name;  // "cumulo", "copy, memcpy" ...
  Role role = Role::scan;
  std::uint64_t n = 0;
  std::string type = "u32";  // of an element
  std::string op = "add";
  std::optional<ScanKind> kind = std::nullopt;  // of a scan
  std::string algorithm = {};                   // of our own scans and reductions
  std::uint64_t bytes = 0;                      // least that must be read and written
  ClockKind clock = ClockKind::wall;
  double median_ms = 0;
  double least_ms = 0;
  std::optional<Work> work = std::nullopt;
  std::optional<std::string> failure = std::nullopt;  // then there is no time to report
  bool refused = false;  // the failure is that the device does not take it: no fault
};

// Median and least of the times; a failure where no memory moves `bytes` in that time.
void set_times(Measurement& m, std::vector<double> times);

struct Report {
  DeviceInfo device;
  std::string processor;
  std::string versions;  // compiler and libraries
  std::string date;
  std::uint32_t threads = 0;
  std::uint32_t runs = 0;
  std::optional<Pages> pages = std::nullopt;  // where the arrays are on the host
  std::vector<Measurement> measurements;

  bool ok() const;
};

// Fills in the machine and the date.
Report make_report(const Device& device, std::uint32_t runs);

// The fastest copy and the empty dispatch that were timed with `m`: same n, type and operator.
// Null where there is none.
const Measurement* fastest_copy(const Report& report, const Measurement& m);
const Measurement* empty_dispatch(const Report& report, const Measurement& m);

// The time that the fastest copy takes for as many bytes, over that of `m`; nothing where either
// failed. Of a reduction, which only reads: half a copy's time over its own.
std::optional<double> of_copy(const Report& report, const Measurement& m);
// Microseconds of `m` above an empty dispatch.
std::optional<double> above_empty_us(const Report& report, const Measurement& m);

// Turns scans and reductions that seem faster than the fastest copy can be into failures: nothing
// of this size is in a cache, so they have not done their work.
void refuse_faster_than_copy(Report& report);

std::string to_text(const Report& report);
std::string to_json(const Report& report);  // schema "cumulo-bench/2"

}  // namespace cumulo::bench

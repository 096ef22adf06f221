// What a benchmark found: records first, printed afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cumulo/device.hpp"
#include "cumulo/type.hpp"

namespace cumulo::bench {

struct Measurement {
  std::string name;  // "cumulo", "copy, memcpy" ...
  std::uint64_t n = 0;
  Type type = Type::u32;
  double median_ms = 0;
  std::uint64_t bytes = 0;  // read and written
  ClockKind clock = ClockKind::wall;
  bool is_copy = false;
  std::optional<std::string> failure = std::nullopt;  // then there is no time to report
};

struct Report {
  std::string device;
  std::string processor;
  std::string versions;  // compiler and libraries
  std::string date;
  std::uint32_t threads = 0;
  std::uint32_t runs = 0;
  std::vector<Measurement> measurements;

  bool ok() const;
};

// Fills in the machine and the date.
Report make_report(const Device& device, std::uint32_t runs);

// Time of the fastest copy at the same n and type over that of `m`; nothing where there is no copy,
// or `m` failed.
std::optional<double> of_copy(const Report& report, const Measurement& m);

std::string to_text(const Report& report);
std::string to_json(const Report& report);  // schema "cumulo-bench/1"

}  // namespace cumulo::bench

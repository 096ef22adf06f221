// How far the scan of f32 is from the exact prefixes, beside a plain loop in f32.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cumulo/device.hpp"

namespace cumulo::bench {

struct Errors {
  double largest_relative = 0;  // |found - exact| / |exact|, where exact is not 0
  double rms_relative = 0;
  double largest_absolute = 0;
};

struct AccuracyRow {
  std::string data;    // "positive": uniform in [0, 1); "alternating": the same, + - + - ...
  std::string method;  // "cumulo", "f32 loop"
  std::uint64_t n = 0;
  Errors errors;
};

// Inclusive sums of f32, for each size on both kinds of data. What is exact is a compensated sum in
// f64. bad_argument for a size of 0; else what the scan may return.
Result<std::vector<AccuracyRow>> measure_accuracy(Device& device,
                                                  const std::vector<std::uint64_t>& sizes);

std::string to_text(const std::vector<AccuracyRow>& rows, const DeviceInfo& device);
std::string to_json(const std::vector<AccuracyRow>& rows, const DeviceInfo& device);

}  // namespace cumulo::bench

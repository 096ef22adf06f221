#include "bench/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "bench/data.hpp"
#include "cumulo/scan.hpp"

namespace cumulo::bench {
namespace {

// bench/accuracy_numpy.py makes the same.
float value_at(std::uint64_t i, bool alternating) {
  const float size = static_cast<float>(hash(static_cast<std::uint32_t>(i)) >> 8) * 0x1p-24F;
  return alternating && i % 2 == 1 ? -size : size;
}

// A running sum in f64 with what rounding lost (Neumaier 1974): its own error is far below f32's.
class ExactSum {
 public:
  double add(double x) {
    const double next = sum_ + x;
    lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
    return sum_ + lost_;
  }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

Errors errors_of(std::span<const float> in, std::span<const float> found) {
  ExactSum sum;
  Errors errors;
  double squares = 0;
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double exact = sum.add(in[i]);
    const double error = std::abs(static_cast<double>(found[i]) - exact);
    errors.largest_absolute = std::max(errors.largest_absolute, error);
    if (exact == 0) continue;
    const double relative = error / std::abs(exact);
    errors.largest_relative = std::max(errors.largest_relative, relative);
    squares += relative * relative;
    ++counted;
  }
  if (counted > 0) errors.rms_relative = std::sqrt(squares / static_cast<double>(counted));
  return errors;
}

void scan_by_loop(std::span<const float> in, std::span<float> out) {
  float sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    sum += in[i];
    out[i] = sum;
  }
}

Result<void> add_rows(Device& device, std::uint64_t n, bool alternating,
                      std::vector<AccuracyRow>& rows) {
  const Lines<float> in = allocate_lines<float>(n);
  const Lines<float> out = allocate_lines<float>(n);
  if (!in || !out) {
    return std::unexpected{
        Error{ErrorKind::out_of_memory, fmt::format("no memory for two arrays of {}", n)}};
  }
  const std::span values{in.get(), n};
  const std::span found{out.get(), n};
  for (std::uint64_t i = 0; i < n; ++i) values[i] = value_at(i, alternating);
  const std::string data = alternating ? "alternating" : "positive";

  auto scanned = scan_bytes(device, {.n = n, .type = Type::f32}, std::as_bytes(values),
                            std::as_writable_bytes(found));
  if (!scanned) return std::unexpected{std::move(scanned.error())};
  rows.push_back({data, "cumulo", n, errors_of(values, found)});
  scan_by_loop(values, found);
  rows.push_back({data, "f32 loop", n, errors_of(values, found)});
  return {};
}

}  // namespace

Result<std::vector<AccuracyRow>> measure_accuracy(Device& device,
                                                  const std::vector<std::uint64_t>& sizes) {
  std::vector<AccuracyRow> rows;
  for (const std::uint64_t n : sizes) {
    if (n == 0) {
      return std::unexpected{Error{ErrorKind::bad_argument, "bench accuracy takes sizes above 0"}};
    }
    for (const bool alternating : {false, true}) {
      if (auto ok = add_rows(device, n, alternating, rows); !ok) {
        return std::unexpected{std::move(ok.error())};
      }
    }
  }
  return rows;
}

std::string to_text(const std::vector<AccuracyRow>& rows, const DeviceInfo& device) {
  std::string text = fmt::format(
      "f32 sums on {}, errors against the exact prefixes\n{:>12}  {:<12} "
      "{:<10}{:>14}{:>14}{:>14}\n",
      device.name, "n", "data", "method", "max relative", "RMS relative", "max absolute");
  for (const AccuracyRow& row : rows) {
    text += fmt::format("{:>12}  {:<12} {:<10}{:>14.3g}{:>14.3g}{:>14.3g}\n", row.n, row.data,
                        row.method, row.errors.largest_relative, row.errors.rms_relative,
                        row.errors.largest_absolute);
  }
  return text;
}

std::string to_json(const std::vector<AccuracyRow>& rows, const DeviceInfo& device) {
  nlohmann::ordered_json root{{"schema", "cumulo-accuracy/1"},
                              {"device", device.name},
                              {"rows", nlohmann::ordered_json::array()}};
  for (const AccuracyRow& row : rows) {
    root["rows"].push_back({{"n", row.n},
                            {"data", row.data},
                            {"method", row.method},
                            {"max_relative", row.errors.largest_relative},
                            {"rms_relative", row.errors.rms_relative},
                            {"max_absolute", row.errors.largest_absolute}});
  }
  return root.dump(2);
}

}  // namespace cumulo::bench

#include "bench/report.hpp"

#include <fmt/format.h>
#include <hwy/highway.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/version.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

namespace cumulo::bench {
namespace {

std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

double gigabytes_per_second(const Measurement& m) {
  return static_cast<double>(m.bytes) / m.median_ms / 1e6;
}

}  // namespace

bool Report::ok() const {
  return std::ranges::none_of(measurements,
                              [](const Measurement& m) { return m.failure.has_value(); });
}

Report make_report(const Device& device, std::uint32_t runs) {
  return {.device = device.info().name,
          .processor = processor_model(),
          .versions = fmt::format("{}, oneTBB {}.{}, Highway {}.{}.{}", __VERSION__,
                                  TBB_VERSION_MAJOR, TBB_VERSION_MINOR, HWY_MAJOR, HWY_MINOR,
                                  HWY_PATCH),
          .date = today(),
          .threads = static_cast<std::uint32_t>(tbb::info::default_concurrency()),
          .runs = runs,
          .measurements = {}};
}

std::optional<double> of_copy(const Report& report, const Measurement& m) {
  std::optional<double> copy;
  for (const Measurement& other : report.measurements) {
    if (!other.is_copy || other.failure || other.n != m.n || other.type != m.type) continue;
    copy = std::min(copy.value_or(other.median_ms), other.median_ms);
  }
  if (m.failure || !copy) return std::nullopt;
  return *copy / m.median_ms;
}

std::string to_text(const Report& report) {
  std::string text = fmt::format("device     {}\nprocessor  {}, {} threads\nwith       {}\ndate       {}\n"
                                 "medians of {} runs, interleaved; of copy = the fastest copy's time / the case's\n",
                                 report.device, report.processor, report.threads, report.versions,
                                 report.date, report.runs);
  std::uint64_t n = 0;
  std::optional<Type> type;
  for (const Measurement& m : report.measurements) {
    if (n != m.n || type != m.type) {
      text += fmt::format("\nn = {}, {}\n  {:<34}{:>12}{:>10}{:>10}\n", m.n, name(m.type), "", "ms",
                          "GB/s", "of copy");
      n = m.n;
      type = m.type;
    }
    if (m.failure) {
      text += fmt::format("  {:<34}failed: {}\n", m.name, *m.failure);
    } else {
      const std::optional<double> share = of_copy(report, m);
      text += fmt::format("  {:<34}{:>12.5f}{:>10.2f}{:>10}{}\n", m.name, m.median_ms,
                          gigabytes_per_second(m),
                          share ? fmt::format("{:.0f}%", 100 * *share) : std::string("-"),
                          m.clock == ClockKind::device ? "  (device clock)" : "");
    }
  }
  return text;
}

std::string to_json(const Report& report) {
  nlohmann::ordered_json root{
      {"schema", "cumulo-bench/1"},   {"ok", report.ok()},
      {"device", report.device},      {"processor", report.processor},
      {"threads", report.threads},    {"versions", report.versions},
      {"date", report.date},          {"runs", report.runs},
      {"measurements", nlohmann::ordered_json::array()}};
  for (const Measurement& m : report.measurements) {
    nlohmann::ordered_json entry{{"name", m.name}, {"n", m.n}, {"type", name(m.type)}};
    if (m.failure) {
      entry["failure"] = *m.failure;
    } else {
      entry["median_ms"] = m.median_ms;
      entry["gb_per_s"] = gigabytes_per_second(m);
      entry["of_copy"] = nullptr;
      if (const auto share = of_copy(report, m)) entry["of_copy"] = *share;
      entry["clock"] = name(m.clock);
    }
    root["measurements"].push_back(std::move(entry));
  }
  return root.dump(2);
}

}  // namespace cumulo::bench

#include "bench/report.hpp"

#include <fmt/format.h>
#include <hwy/highway.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/version.h>
#include <webgpu/wgpu.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

namespace cumulo::bench {
namespace {

using Json = nlohmann::ordered_json;

// More than any memory moves: a case that seems to has not done its work.
constexpr double impossible_gb_per_s = 20'000;

// A copy above this size is no longer served by a cache, and a scan moves as many bytes: it cannot
// be this much faster. Reading alone may go somewhat faster than a copy.
constexpr std::uint64_t memory_bound_bytes = std::uint64_t{256} << 20;
constexpr double impossible_of_copy = 1.1;
constexpr double impossible_of_read = 1.3;

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

std::string library_versions() {
  const std::uint32_t wgpu = wgpuGetVersion();
  return fmt::format(
      "cumulo {}, compiler {}, oneTBB {}.{}, Highway {}.{}.{}, wgpu-native {}.{}.{}.{}",
      CUMULO_VERSION, __VERSION__, TBB_VERSION_MAJOR, TBB_VERSION_MINOR, HWY_MAJOR, HWY_MINOR,
      HWY_PATCH, wgpu >> 24, wgpu >> 16 & 255, wgpu >> 8 & 255, wgpu & 255);
}

double gigabytes_per_second(const Measurement& m) {
  return static_cast<double>(m.bytes) / m.median_ms / 1e6;
}

bool same_group(const Measurement& a, const Measurement& b) {
  return a.n == b.n && a.type == b.type && a.op == b.op;
}

std::string text_of(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

std::string heading(const Measurement& m, bool with_work) {
  std::string text = fmt::format("\nn = {}, {} {}\n  {:<56}{:>12}{:>10}{:>10}{:>15}", m.n, m.type,
                                 m.op, "", "ms", "GB/s", "of copy", "us over empty");
  if (with_work) text += fmt::format("{:>8}{:>16}{:>16}", "steps", "additions", "bytes");
  return text + "\n";
}

std::string row(const Report& report, const Measurement& m) {
  std::string label = m.name;
  if (m.kind) label += fmt::format(", {}", cumulo::name(*m.kind));
  if (!m.algorithm.empty() && !m.name.ends_with(m.algorithm)) {
    label += fmt::format(" ({})", m.algorithm);
  }
  if (m.failure) {
    return fmt::format("  {:<56} {}: {}\n", label, m.refused ? "refused" : "failed", *m.failure);
  }
  auto share = of_copy(report, m);
  if (share) *share *= 100;
  std::string text =
      fmt::format("  {:<56}{:>12.5f}{:>10}{:>10}{:>15}", label, m.median_ms,
                  m.bytes == 0 ? "-" : fmt::format("{:.2f}", gigabytes_per_second(m)),
                  text_of(share, "{:.1f}%"), text_of(above_empty_us(report, m), "{:.2f}"));
  if (m.work) {
    const auto count = [](const std::optional<std::uint64_t>& c) {
      return c ? fmt::to_string(*c) : "-";
    };
    text += fmt::format("{:>8}{:>16}{:>16}", count(m.work->steps), count(m.work->additions),
                        m.work->bytes);
  }
  return text + "\n";
}

Json to_json(const Report& report, const Measurement& m) {
  const auto number = [](const auto& value) { return value ? Json(*value) : Json(); };
  Json entry{{"name", m.name}, {"role", name(m.role)},
             {"n", m.n},       {"type", m.type},
             {"op", m.op},     {"kind", m.kind ? Json(cumulo::name(*m.kind)) : Json()}};
  if (!m.algorithm.empty()) entry["algorithm"] = m.algorithm;
  if (m.failure) {
    entry[m.refused ? "refused" : "failure"] = *m.failure;
    return entry;
  }
  entry["median_ms"] = m.median_ms;
  entry["least_ms"] = m.least_ms;
  entry["gb_per_s"] = m.bytes == 0 ? Json() : Json(gigabytes_per_second(m));
  entry["of_copy"] = number(of_copy(report, m));
  entry["above_empty_us"] = number(above_empty_us(report, m));
  entry["clock"] = cumulo::name(m.clock);
  if (m.work) {
    entry["work"] = {{"steps", number(m.work->steps)},
                     {"additions", number(m.work->additions)},
                     {"bytes", m.work->bytes}};
  }
  return entry;
}

}  // namespace

std::string_view name(Role role) {
  switch (role) {
    case Role::copy: return "copy";
    case Role::tuned_copy: return "tuned-copy";
    case Role::reduce: return "reduce";
    case Role::empty: return "empty";
    case Role::scan: break;
  }
  return "scan";
}

void set_times(Measurement& m, std::vector<double> times) {
  if (m.failure) return;
  if (times.empty()) {
    m.failure = "no run of it could be timed";
    return;
  }
  std::ranges::sort(times);
  m.median_ms = times[times.size() / 2];
  m.least_ms = times.front();
  if (m.bytes > 0 && !(gigabytes_per_second(m) <= impossible_gb_per_s)) {
    m.failure = "it would have moved more bytes a second than any memory can";
  }
}

bool Report::ok() const {
  return std::ranges::none_of(measurements,
                              [](const Measurement& m) { return m.failure && !m.refused; });
}

Report make_report(const Device& device, std::uint32_t runs) {
  return {.device = device.info(),
          .processor = processor_model(),
          .versions = library_versions(),
          .date = today(),
          .threads = static_cast<std::uint32_t>(tbb::info::default_concurrency()),
          .runs = runs,
          .measurements = {}};
}

const Measurement* fastest_copy(const Report& report, const Measurement& m) {
  const Measurement* fastest = nullptr;
  for (const Measurement& other : report.measurements) {
    if (other.role != Role::copy || other.failure || !same_group(other, m)) continue;
    if (fastest == nullptr || other.median_ms < fastest->median_ms) fastest = &other;
  }
  return fastest;
}

const Measurement* empty_dispatch(const Report& report, const Measurement& m) {
  for (const Measurement& other : report.measurements) {
    if (other.role == Role::empty && !other.failure && same_group(other, m)) return &other;
  }
  return nullptr;
}

std::optional<double> of_copy(const Report& report, const Measurement& m) {
  const Measurement* copy = fastest_copy(report, m);
  if (m.failure || copy == nullptr || m.role == Role::empty) return std::nullopt;
  const double share = static_cast<double>(m.bytes) / static_cast<double>(copy->bytes);
  return share * copy->median_ms / m.median_ms;
}

std::optional<double> above_empty_us(const Report& report, const Measurement& m) {
  const Measurement* empty = empty_dispatch(report, m);
  if (m.failure || empty == nullptr || m.role == Role::empty) return std::nullopt;
  return 1000 * (m.median_ms - empty->median_ms);
}

void refuse_faster_than_copy(Report& report) {
  for (Measurement& m : report.measurements) {
    const bool reads = m.role == Role::reduce;
    if ((m.role != Role::scan && !reads) || m.bytes < memory_bound_bytes) continue;
    if (of_copy(report, m).value_or(0) > (reads ? impossible_of_read : impossible_of_copy)) {
      m.failure = "it would have been faster than a copy of the same bytes can be";
    }
  }
}

std::string to_text(const Report& report) {
  std::string text = fmt::format(
      "device     {}{}\nprocessor  {}, {} threads\n{}with       {}\ndate       {}\n"
      "medians of {} runs, interleaved; of copy = the fastest copy's time for as many bytes / the "
      "case's\n",
      report.device.name, report.device.driver.empty() ? "" : ", " + report.device.driver,
      report.processor, report.threads,
      report.pages ? fmt::format("memory     {} pages\n", name(*report.pages)) : "",
      report.versions, report.date, report.runs);
  const bool with_work = std::ranges::any_of(
      report.measurements, [](const Measurement& m) { return m.work.has_value(); });
  const Measurement* previous = nullptr;
  for (const Measurement& m : report.measurements) {
    if (previous == nullptr || !same_group(*previous, m)) text += heading(m, with_work);
    previous = &m;
    // Of a GPU's dozen copies the fastest tells enough; the JSON has all.
    const bool one_of_many = m.role == Role::copy && report.device.backend == Backend::webgpu;
    if (one_of_many && !m.failure && fastest_copy(report, m) != &m) continue;
    text += row(report, m);
  }
  return text;
}

std::string to_json(const Report& report) {
  const bool on_device = std::ranges::any_of(
      report.measurements, [](const Measurement& m) { return m.clock == ClockKind::device; });
  Json root{{"schema", "cumulo-bench/2"},
            {"program", "cumulo"},
            {"ok", report.ok()},
            {"device",
             {{"name", report.device.name},
              {"backend", cumulo::name(report.device.backend)},
              {"kind", cumulo::name(report.device.kind)},
              {"api", report.device.api},
              {"driver", report.device.driver}}},
            {"processor", report.processor},
            {"threads", report.threads},
            {"versions", report.versions},
            {"date", report.date},
            {"runs", report.runs},
            {"clock", cumulo::name(on_device ? ClockKind::device : ClockKind::wall)}};
  if (report.pages) root["pages"] = name(*report.pages);
  root["measurements"] = Json::array();
  for (const Measurement& m : report.measurements) {
    root["measurements"].push_back(to_json(report, m));
  }
  return root.dump(2);
}

}  // namespace cumulo::bench

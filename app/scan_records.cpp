// cumulo scan with an operator from a file: elements of several fields.
#include <fmt/format.h>

#include <utility>

#include "combine_request.hpp"
#include "command.hpp"
#include "formats/records.hpp"
#include "operator_file.hpp"

namespace cumulo::app {
namespace {

struct Outcome {
  Records result;
  ScanReport report;
  DeviceInfo device;
};

Result<Outcome> compute(CombineRequest& r) {
  ScanDescription& d = r.description;
  if (r.scan.init) {
    auto init = parse_element(d.monoid->fields, *r.scan.init, "--init");
    if (!init) return std::unexpected{std::move(init.error())};
    d.monoid_init = std::move(*init);
  }
  // A device that cannot do it says so before a large file is read.
  auto device = open_device(r.device);
  if (!device) return std::unexpected{std::move(device.error())};
  if (auto ok = check_compiler(r, device->info()); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  auto records = read_records(r.input, r.input_format, d.monoid->fields, !r.report.quiet);
  if (!records) return std::unexpected{std::move(records.error())};
  d.n = records->bytes.size() / element_bytes(d);
  if (auto fits = require_memory(result_count(d) * element_bytes(d), "the result"); !fits) {
    return std::unexpected{std::move(fits.error())};
  }
  Outcome outcome{.result = {.bytes = std::vector<std::byte>(result_count(d) * element_bytes(d)),
                             .structured = records->structured,
                             .flat = records->flat},
                  .report = {},
                  .device = device->info()};
  auto report = scan_bytes(*device, d, records->bytes, outcome.result.bytes,
                           {.timed_runs = r.time ? timed_runs : 0});
  if (!report) return std::unexpected{std::move(report.error())};
  outcome.report = std::move(*report);
  return outcome;
}

Json json_element(std::span<const std::byte> bytes, const Monoid& monoid, std::size_t i) {
  Json element = Json::array();
  for (std::size_t f = 0; f < monoid.fields.size(); ++f) {
    element.push_back(json_value(value_at(bytes, monoid.fields, i, f)));
  }
  return element;
}

Json json_report(const CombineRequest& r, const Outcome& outcome) {
  const ScanDescription& d = r.description;
  Json object = json_object("scan");
  object["n"] = d.n;
  object["type"] = element_name(d);
  // What is of numbers only.
  for (const char* const field : {"result_type", "inferred", "wrapped"}) object[field] = nullptr;
  object["op"] = operator_name(d);
  object["kind"] = name(d.kind);
  object["reverse"] = d.reverse;
  object["algorithm"] = outcome.report.algorithm;
  object["device"] = json_device(outcome.device);
  object["total"] = json_element(outcome.report.total_bytes, *d.monoid, 0);
  if (outcome.report.counts) object["counts"] = json_counts(*outcome.report.counts);
  object["check"] = nullptr;
  object["time"] = json_time(outcome.report.timing);
  object["output"] = nullptr;
  if (r.output) object["output"] = *r.output;
  object["picture"] = nullptr;
  if (!r.output && result_count(d) <= most_json_values) {
    Json values = Json::array();
    for (std::size_t i = 0; i < result_count(d); ++i) {
      values.push_back(json_element(outcome.result.bytes, *d.monoid, i));
    }
    object["values"] = std::move(values);
  }
  return object;
}

void say_summary(const CombineRequest& r, const Outcome& outcome) {
  const ScanDescription& d = r.description;
  std::string total;
  for (std::size_t f = 0; f < d.monoid->fields.size(); ++f) {
    total += " " + to_string(value_at(outcome.report.total_bytes, d.monoid->fields, 0, f));
  }
  std::string line = fmt::format("cumulo: {} {}, {} {}{}, {} on {}: total{}", d.n, element_name(d),
                                 name(d.kind), operator_name(d), d.reverse ? " in reverse" : "",
                                 outcome.report.algorithm, describe_device(outcome.device), total);
  if (outcome.report.timing) line += ", " + describe_time(*outcome.report.timing);
  say(line);
}

Result<void> write_result(const CombineRequest& r, const Outcome& outcome) {
  return write_output(r, [&](Writer& writer, Format format) {
    return write_records(outcome.result, r.description.monoid->fields, format, writer);
  });
}

}  // namespace

int scan_records(CombineRequest& r) {
  const bool json = r.report.json;
  auto outcome = compute(r);
  if (!outcome) return report_error(outcome.error(), json);
  return deliver(
      r, false, [&] { return write_result(r, *outcome); }, [&] { return json_report(r, *outcome); },
      [&] { say_summary(r, *outcome); });
}

}  // namespace cumulo::app

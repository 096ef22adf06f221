// cumulo scan: a file of numbers in, its prefixes out.
#include <fmt/format.h>

#include <bit>
#include <optional>
#include <utility>

#include "anywhere.hpp"
#include "check.hpp"
#include "combine_request.hpp"
#include "command.hpp"
#include "cumulo/scan.hpp"
#include "formats/format.hpp"
#include "options.hpp"
#include "picture/picture.hpp"
#include "report.hpp"
#include "wrapped.hpp"

namespace cumulo::app {
namespace {

constexpr const char* example =
    "Example\n"
    "  printf '3 1 4 1 5 9 2 6' | cumulo scan - --exclusive\n"
    "prints 0 3 4 8 9 14 23 25, a value a line: where each group of so many items starts.\n"
    "  cumulo scan sales.csv --column sold -o totals.npy --check --picture totals.png\n"
    "writes the running totals of a column, compares each with a plain loop, and draws them.\n"
    "\n"
    "  cumulo scan maps.csv --op affine.op -o composed.csv --device gpu\n"
    "scans elements of several columns by an operator of your own, whose fields, identity and "
    "WGSL\n"
    "stand in a file (docs/operators.md).\n"
    "\n"
    "Arrays of several dimensions are scanned as one row of numbers, the last index fastest.\n"
    "Text without --dtype is u32 where its integers fit, else i32, i64 or u64, else f32.\n"
    "Where sums leave a type chosen so, they wrap, which is said; --wide avoids it.\n"
    "JSON adds op, kind, reverse, result_type, inferred, wrapped (null, or the sentence that says\n"
    "it) and, for the teaching forms, counts. By an operator from a file result_type and inferred\n"
    "are null.\n";

struct Outcome {
  Array result;
  ScanReport report;
  DeviceInfo device;
  std::optional<Difference> difference = std::nullopt;
  std::optional<std::string> wrapped = std::nullopt;
};

void add_options(CLI::App& app, CombineRequest& r) {
  add_file_options(app, r);
  add_scan_options(app, r.scan);
  add_common_options(app, r, "the running totals");
}

// All that can be said before the input is read.
Result<void> interpret(CombineRequest& r) {
  auto description = parse_scan(r.scan);
  if (!description) return std::unexpected{std::move(description.error())};
  if (!description->monoid) {
    if (auto ok = validate(*description); !ok) return ok;
  }
  r.description = *description;
  if (auto ok = check_file_options(r); !ok) return ok;
  return interpret_common(r, "scan");
}

// Where pairs of f32 lie, their values.
void pairs_to_values(std::vector<double>& values) {
  for (double& value : values) {
    const auto pair = std::bit_cast<WideFloat>(value);
    value = static_cast<double>(pair.high) + static_cast<double>(pair.low);
  }
}

Result<Outcome> scan_on(Device& device, const CombineRequest& r, const Array& input) {
  const ScanDescription& d = r.description;
  Outcome outcome;
  const auto in =
      std::visit([](const auto& v) { return std::as_bytes(std::span{v}); }, input.values);
  const auto out = with_type(result_type(d), [&]<class T>() {
    return std::as_writable_bytes(
        std::span{outcome.result.values.emplace<std::vector<T>>(result_count(d))});
  });
  auto report = scan_bytes(device, d, in, out, {.timed_runs = r.time ? timed_runs : 0});
  if (!report) return std::unexpected{std::move(report.error())};
  if (d.wide && d.type == Type::f32) {
    pairs_to_values(std::get<std::vector<double>>(outcome.result.values));
  }
  outcome.report = std::move(*report);
  outcome.device = device.info();
  outcome.result.shape = input.shape;
  outcome.result.shaped = input.shaped;
  outcome.result.column = input.column;
  return outcome;
}

Result<Outcome> scan_anywhere(const CombineRequest& r, const Array& input) {
  return done_anywhere(r.device, r.report.quiet,
                       [&](Device& device) { return scan_on(device, r, input); });
}

void break_element(std::uint64_t index, Values& values) {
  std::visit(
      [&](auto& v) {
        if (index < v.size()) v[index] = v[index] == 0 ? 1 : 0;
      },
      values);
}

Json json_report(const CombineRequest& r, const Array& input, const Outcome& outcome) {
  const ScanDescription& d = r.description;
  Json object = json_object("scan");
  object["n"] = d.n;
  object["type"] = name(d.type);
  object["result_type"] = name(result_type(d));
  object["inferred"] = input.inferred;
  object["wrapped"] = nullptr;
  if (outcome.wrapped) object["wrapped"] = *outcome.wrapped;
  object["op"] = name(d.op);
  object["kind"] = name(d.kind);
  object["reverse"] = d.reverse;
  object["algorithm"] = outcome.report.algorithm;
  object["device"] = json_device(outcome.device);
  object["total"] = json_value(outcome.report.total);
  if (outcome.report.counts) object["counts"] = json_counts(*outcome.report.counts);
  object["check"] = json_check(r.check, outcome.difference);
  object["time"] = json_time(outcome.report.timing);
  object["output"] = nullptr;
  if (r.output && !outcome.difference) object["output"] = *r.output;
  object["picture"] = nullptr;
  if (r.picture) object["picture"] = *r.picture;
  if (Json values = json_values(r, outcome.result.values); !values.is_null()) {
    object["values"] = std::move(values);
  }
  return object;
}

void say_summary(const CombineRequest& r, const Array& input, const Outcome& outcome) {
  if (outcome.difference) return say_wrong(r, *outcome.difference);
  const ScanDescription& d = r.description;
  std::string line = fmt::format(
      "cumulo: {} {}{}{}{}, {} {}{}, {} on {}: total {}", d.n, element_name(d),
      input.inferred ? " (inferred)" : "", input.column.empty() ? "" : " of column ", input.column,
      name(d.kind), name(d.op), d.reverse ? " in reverse" : "", outcome.report.algorithm,
      describe_device(outcome.device), to_string(outcome.report.total));
  if (outcome.report.timing) line += ", " + describe_time(*outcome.report.timing);
  if (r.check) line += "; every element checked";
  say(line);
  if (outcome.wrapped) say("cumulo: " + *outcome.wrapped);
}

// The values in the type of the wide sums.
Values widened(const Values& values, Type type) {
  return with_type(type, [&]<class Wide>() -> Values {
    return std::visit([](const auto& v) -> Values { return std::vector<Wide>(v.begin(), v.end()); },
                      values);
  });
}

Result<void> draw(const CombineRequest& r, const Array& input, const Outcome& outcome) {
  const auto bytes = [](const auto& v) { return std::as_bytes(std::span{v}); };
  // A picture has one type: that of the results.
  ScanDescription drawn_as = r.description;
  Values wide;
  if (drawn_as.wide) {
    drawn_as.type = result_type(drawn_as);
    drawn_as.wide = false;
    wide = widened(input.values, drawn_as.type);
  }
  const Values& values = r.description.wide ? wide : input.values;
  auto scene = picture::running_totals_scene({.description = drawn_as,
                                              .values = std::visit(bytes, values),
                                              .totals = std::visit(bytes, outcome.result.values),
                                              .total = outcome.report.total,
                                              .device = describe_device(outcome.device)});
  return write_picture(r, std::move(scene));
}

Result<Outcome> compute(CombineRequest& r, Array& input) {
  auto read = read_array(r.input, r.input_format,
                         {.type = r.type, .column = r.column, .show_progress = !r.report.quiet});
  if (!read) return std::unexpected{std::move(read.error())};
  input = std::move(*read);
  r.description.n = count(input.values);
  r.description.type = type_of_values(input.values);
  if (auto ok = validate(r.description); !ok) return std::unexpected{std::move(ok.error())};
  auto init = parse_init(r.scan, r.description.type);
  if (!init) return std::unexpected{std::move(init.error())};
  r.description.init = *init;
  const std::uint64_t result_bytes = result_count(r.description) * element_bytes(r.description);
  if (auto fits = require_memory(result_bytes, "the result"); !fits) {
    return std::unexpected{std::move(fits.error())};
  }
  auto outcome = scan_anywhere(r, input);
  if (!outcome) return outcome;
  outcome->wrapped = wrapped_note(r.description, input, Results::all_prefixes);
  if (r.broken) break_element(*r.broken, outcome->result.values);
  if (r.check) {
    outcome->difference =
        first_difference(r.description, input.values, outcome->result.values, outcome->report.total,
                         outcome->report.algorithm == name(Algorithm::serial));
  }
  return outcome;
}

}  // namespace

int run_scan(const Arguments& arguments) {
  CombineRequest r;
  CLI::App app("Prefix sums, products, minima ... of a file of numbers.", "cumulo scan");
  add_options(app, r);
  app.footer(std::string(example) + "\n" + check_promise);
  if (const auto status = parse_arguments(app, arguments)) return *status;

  const bool json = r.report.json;
  if (auto understood = interpret(r); !understood) return report_error(understood.error(), json);
  if (r.description.monoid) return scan_records(r);
  Array input;
  auto outcome = compute(r, input);
  if (!outcome) return report_error(outcome.error(), json);
  // A wrong result is shown in the picture, and never written as a result.
  if (r.picture) {
    if (auto drawn = draw(r, input, *outcome); !drawn) return report_error(drawn.error(), json);
  }
  return deliver(
      r, outcome->difference.has_value(), [&] { return write_values(r, outcome->result); },
      [&] { return json_report(r, input, *outcome); }, [&] { say_summary(r, input, *outcome); });
}

}  // namespace cumulo::app

// cumulo reduce: a file of numbers, or of elements of an operator from a file, in; one value out.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "anywhere.hpp"
#include "check.hpp"
#include "combine_request.hpp"
#include "command.hpp"
#include "cumulo/reduce.hpp"
#include "formats/format.hpp"
#include "formats/records.hpp"
#include "options.hpp"
#include "report.hpp"
#include "wrapped.hpp"

namespace cumulo::app {
namespace {

constexpr const char* example =
    "Example\n"
    "  printf '3 1 4 1 5 9 2 6' | cumulo reduce -\n"
    "prints 31, their sum.\n"
    "  cumulo reduce sales.csv --column sold --op max --check --time\n"
    "prints the largest number of a column, compares it with a plain loop's, and says how long it "
    "took.\n"
    "  cumulo reduce maps.csv --op affine.op --device gpu\n"
    "combines elements of several columns by an operator of your own (docs/operators.md).\n"
    "\n"
    "The value is the last one of an inclusive scan, to the bit; of no numbers it is the "
    "operator's\n"
    "identity. -o writes an array without dimensions to an .npy, one line to a .csv or .txt.\n"
    "Text without --dtype is u32 where its integers fit, else i32, i64 or u64, else f32.\n"
    "Where the sum leaves a type chosen so, it wraps, which is said; --wide avoids it.\n"
    "JSON has the value as total, and adds op, result_type, inferred and wrapped (null, or the\n"
    "sentence that says it). By an operator from a file result_type and inferred are null.\n";

struct Input {
  Array array;      // of numbers,
  Records records;  // or of elements of an operator from a file
};

struct Outcome {
  ReduceReport report;
  DeviceInfo device;
  std::optional<Difference> difference = std::nullopt;
  std::optional<std::string> wrapped = std::nullopt;
};

void add_options(CLI::App& app, CombineRequest& r) {
  add_file_options(app, r);
  add_operator_option(app, r.scan.op);
  add_wide_option(app, r.scan.wide);
  add_common_options(app, r, "");
}

// All that can be said before the input is read.
Result<void> interpret(CombineRequest& r) {
  auto description = parse_scan(r.scan);
  if (!description) return std::unexpected{std::move(description.error())};
  r.description = std::move(*description);
  if (auto ok = check_file_options(r); !ok) return ok;
  if (!r.description.monoid) {
    if (auto ok = validate(r.description); !ok) return ok;
  }
  return interpret_common(r, "reduce");
}

Result<Input> read_input(CombineRequest& r) {
  Input input;
  if (r.description.monoid) {
    auto records =
        read_records(r.input, r.input_format, r.description.monoid->fields, !r.report.quiet);
    if (!records) return std::unexpected{std::move(records.error())};
    input.records = std::move(*records);
    r.description.n = input.records.bytes.size() / input_bytes(r.description);
    return input;
  }
  auto array = read_array(r.input, r.input_format,
                          {.type = r.type, .column = r.column, .show_progress = !r.report.quiet});
  if (!array) return std::unexpected{std::move(array.error())};
  input.array = std::move(*array);
  r.description.n = count(input.array.values);
  r.description.type = type_of_values(input.array.values);
  return input;
}

Result<Outcome> reduce_on(Device& device, const CombineRequest& r, const Input& input) {
  const ScanDescription& d = r.description;
  if (auto ok = check_compiler(r, device.info()); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  const auto bytes = d.monoid
                         ? std::span<const std::byte>(input.records.bytes)
                         : std::visit([](const auto& v) { return std::as_bytes(std::span{v}); },
                                      input.array.values);
  auto report = reduce_bytes(
      device, {.n = d.n, .type = d.type, .op = d.op, .monoid = d.monoid, .wide = d.wide}, bytes,
      {.timed_runs = r.time ? timed_runs : 0});
  if (!report) return std::unexpected{std::move(report.error())};
  return Outcome{std::move(*report), device.info()};
}

// For tests of --check: another value than the right one.
void break_value(Scalar& value) {
  std::visit([](auto& v) { v = v == 0 ? 1 : 0; }, value);
}

Result<Outcome> compute(CombineRequest& r, Input& input) {
  auto read = read_input(r);
  if (!read) return std::unexpected{std::move(read.error())};
  input = std::move(*read);
  auto outcome = done_anywhere(r.device, r.report.quiet,
                               [&](Device& device) { return reduce_on(device, r, input); });
  if (!outcome) return outcome;
  outcome->wrapped = wrapped_note(r.description, input.array, Results::total);
  if (r.break_word) break_value(outcome->report.value);
  if (r.check) {
    outcome->difference =
        value_difference(r.description, input.array.values, outcome->report.value);
  }
  return outcome;
}

Result<void> write_result(const CombineRequest& r, const Input& input, const Outcome& outcome) {
  return write_output(r, [&](Writer& writer, Format format) {
    if (r.description.monoid) {
      const Records value{.bytes = outcome.report.value_bytes,
                          .structured = input.records.structured,
                          .flat = input.records.flat};
      return write_records(value, r.description.monoid->fields, format, writer);
    }
    Array value{.values = {}, .shaped = true, .column = input.array.column};
    std::visit([&]<class T>(T v) { value.values = std::vector<T>{v}; }, outcome.report.value);
    return write_array(value, format, writer, false);
  });
}

Scalar field_of(const CombineRequest& r, const Outcome& outcome, std::size_t field) {
  return value_at(outcome.report.value_bytes, r.description.monoid->fields, 0, field);
}

Json json_report(const CombineRequest& r, const Input& input, const Outcome& outcome) {
  const ScanDescription& d = r.description;
  Json object = json_object("reduce");
  object["n"] = d.n;
  object["type"] = element_name(d);
  object["inferred"] = nullptr;
  object["result_type"] = nullptr;
  if (!d.monoid) {
    object["inferred"] = input.array.inferred;
    object["result_type"] = name(result_type(d));
  }
  object["wrapped"] = nullptr;
  if (outcome.wrapped) object["wrapped"] = *outcome.wrapped;
  object["op"] = operator_name(d);
  object["algorithm"] = outcome.report.algorithm;
  object["device"] = json_device(outcome.device);
  if (d.monoid) {
    object["total"] = Json::array();
    for (std::size_t f = 0; f < d.monoid->fields.size(); ++f) {
      object["total"].push_back(json_value(field_of(r, outcome, f)));
    }
  } else {
    object["total"] = json_value(outcome.report.value);
  }
  object["check"] = json_check(r.check, outcome.difference);
  object["time"] = json_time(outcome.report.timing);
  object["output"] = nullptr;
  if (r.output && !outcome.difference) object["output"] = *r.output;
  return object;
}

void say_summary(const CombineRequest& r, const Input& input, const Outcome& outcome) {
  if (outcome.difference) return say_wrong(r, *outcome.difference);
  const ScanDescription& d = r.description;
  std::string line =
      fmt::format("cumulo: {} {}{}{}{}, reduce {}, {} on {}", d.n, element_name(d),
                  input.array.inferred ? " (inferred)" : "",
                  input.array.column.empty() ? "" : " of column ", input.array.column,
                  operator_name(d), outcome.report.algorithm, describe_device(outcome.device));
  if (outcome.report.timing) line += ": " + describe_time(*outcome.report.timing);
  if (r.check) line += "; the value is checked";
  say(line);
  if (outcome.wrapped) say("cumulo: " + *outcome.wrapped);
}

}  // namespace

int run_reduce(const Arguments& arguments) {
  CombineRequest r;
  CLI::App app("One sum, product, minimum ... of a file of numbers.", "cumulo reduce");
  add_options(app, r);
  app.footer(std::string(example) + "\n" + check_promise);
  if (const auto status = parse_arguments(app, arguments)) return *status;

  const bool json = r.report.json;
  if (auto understood = interpret(r); !understood) return report_error(understood.error(), json);
  Input input;
  auto outcome = compute(r, input);
  if (!outcome) return report_error(outcome.error(), json);
  return deliver(
      r, outcome->difference.has_value(), [&] { return write_result(r, input, *outcome); },
      [&] { return json_report(r, input, *outcome); }, [&] { say_summary(r, input, *outcome); });
}

}  // namespace cumulo::app

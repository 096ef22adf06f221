// cumulo expand: counts in, every item as often as its count out.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "anywhere.hpp"
#include "command.hpp"
#include "counts.hpp"
#include "cumulo/expand.hpp"
#include "picture/scenes.hpp"

namespace cumulo::app {
namespace {

constexpr const char* example =
    "Example\n"
    "  printf '2 0 3' | cumulo expand -\n"
    "prints 0 0 2 2 2, a value a line: the index of each item, as often as its count.\n"
    "  cumulo expand lengths.npy --values values.npy -o decoded.npy\n"
    "repeats the values: what 'cumulo runs' took apart is whole again.\n"
    "  cumulo runs data.npy -o runs.npy\n"
    "  cumulo expand runs.npy --column length --values runs.npy --values-column value\n"
    "takes both from the records of one .npy, or the columns of one .csv.\n"
    "\n"
    "JSON adds count (outputs written), total (outputs asked for), capacity and overflow (the "
    "total\n"
    "is above the capacity).\n"
    "--check compares every output with a sequential computation.\n";

struct ExpandRequest : Request {
  std::optional<std::string> values;
  std::optional<std::string> values_column;
  std::optional<std::string> values_dtype;
  std::optional<std::string> capacity_word;

  // What the words mean.
  std::optional<std::uint64_t> capacity = std::nullopt;
  std::optional<Type> values_type = std::nullopt;
};

struct Outcome {
  Array result;
  ExpansionRun run;
  DeviceInfo device;
  std::optional<Difference> difference = std::nullopt;
};

std::unexpected<Error> refused(std::string what) {
  return std::unexpected{Error{ErrorKind::bad_argument, std::move(what)}};
}

Result<void> interpret(ExpandRequest& r) {
  if (auto ok = interpret_common(r, "expand"); !ok) return ok;
  if (!r.values && (r.values_column || r.values_dtype)) {
    return refused("--values-column and --values-dtype go with --values");
  }
  if (r.values == "-" && r.input == "-") {
    return refused("COUNTS and --values cannot both be standard input");
  }
  auto type = parse_dtype(r.values_dtype);
  if (!type) return std::unexpected{std::move(type.error())};
  r.values_type = *type;
  if (r.values && r.output) {
    if (auto free = check_writable(*r.output, *r.values, r.force); !free) return free;
  }
  if (r.capacity_word) {
    auto capacity = parse_count("--capacity", *r.capacity_word);
    if (!capacity) return std::unexpected{std::move(capacity.error())};
    r.capacity = *capacity;
  }
  return {};
}

template <class T>
Result<Outcome> expand_on(Device& device, const ExpandRequest& r,
                          const std::vector<std::uint32_t>& counts, const std::vector<T>* values,
                          std::uint64_t outputs) {
  Outcome outcome;
  auto& out = outcome.result.values.emplace<std::vector<T>>(outputs);
  auto run = expand_bytes(
      device,
      {.n = counts.size(),
       .element_bytes = values != nullptr ? static_cast<std::uint32_t>(sizeof(T)) : 0U,
       .capacity = outputs},
      counts, values != nullptr ? std::as_bytes(std::span{*values}) : std::span<const std::byte>{},
      std::as_writable_bytes(std::span{out}), {.timed_runs = r.time ? timed_runs : 0});
  if (!run) return std::unexpected{std::move(run.error())};
  outcome.run = std::move(*run);
  outcome.device = device.info();
  return outcome;
}

// `value_of(i)` is what item i is repeated as.
template <class T, class ValueOf>
std::optional<Difference> first_difference(const std::vector<std::uint32_t>& counts,
                                           const std::vector<T>& found, ValueOf&& value_of) {
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const T expected = value_of(i);
    for (std::uint32_t k = 0; k < counts[i] && at < found.size(); ++k, ++at) {
      if (std::memcmp(&found[at], &expected, sizeof(T)) != 0) {
        return Difference{fmt::format("index {}", at), at, expected, found[at]};
      }
    }
  }
  return std::nullopt;
}

// Breaks and checks, as asked for.
template <class T, class ValueOf>
void examine(const ExpandRequest& r, const std::vector<std::uint32_t>& counts, Outcome& outcome,
             ValueOf&& value_of) {
  auto& found = std::get<std::vector<T>>(outcome.result.values);
  if (r.broken && *r.broken < found.size()) found[*r.broken] = found[*r.broken] == 0 ? 1 : 0;
  if (r.check) outcome.difference = first_difference(counts, found, value_of);
}

// How many outputs to make, and that there is memory for them.
Result<std::uint64_t> outputs_of(const ExpandRequest& r, std::uint64_t total,
                                 std::size_t element_bytes) {
  const std::uint64_t outputs = std::min(total, r.capacity.value_or(total));
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max() - 1;
  if (outputs > most) {
    return refused(
        fmt::format("{} outputs are asked for, and {} are the most at once; --capacity "
                    "takes the first of them",
                    outputs, most));
  }
  if (auto fits = require_memory(outputs * element_bytes, "the output"); !fits) {
    return std::unexpected{std::move(fits.error())};
  }
  return outputs;
}

Result<Outcome> expand_values(const ExpandRequest& r, const std::vector<std::uint32_t>& counts,
                              std::uint64_t total, Values& values_read) {
  auto read = read_array(*r.values, std::nullopt,
                         {.type = r.values_type,
                          .column = r.values_column,
                          .show_progress = !r.report.quiet,
                          .column_option = "--values-column",
                          .type_option = "--values-dtype"});
  if (!read) return std::unexpected{std::move(read.error())};
  if (count(read->values) != counts.size()) {
    return refused(fmt::format("{} has {} values, and {} has {} counts: there must be one for each",
                               source_name(*r.values), count(read->values), source_name(r.input),
                               counts.size()));
  }
  values_read = std::move(read->values);
  return std::visit(
      [&]<class T>(const std::vector<T>& values) -> Result<Outcome> {
        auto outputs = outputs_of(r, total, sizeof(T));
        if (!outputs) return std::unexpected{std::move(outputs.error())};
        auto outcome = done_anywhere(r.device, r.report.quiet, [&](Device& device) {
          return expand_on<T>(device, r, counts, &values, *outputs);
        });
        if (!outcome) return outcome;
        outcome->result.column = read->column;
        examine<T>(r, counts, *outcome, [&](std::size_t i) { return values[i]; });
        return outcome;
      },
      values_read);
}

// `values` is left as it is where indices are repeated.
Result<Outcome> compute(const ExpandRequest& r, std::vector<std::uint32_t>& counts,
                        Values& values) {
  auto read = read_counts(r);
  if (!read) return std::unexpected{std::move(read.error())};
  counts = std::move(*read);
  const std::uint64_t total = expanded_count(counts);
  auto outcome = [&]() -> Result<Outcome> {
    if (r.values) return expand_values(r, counts, total, values);
    auto outputs = outputs_of(r, total, sizeof(std::uint32_t));
    if (!outputs) return std::unexpected{std::move(outputs.error())};
    auto made = done_anywhere(r.device, r.report.quiet, [&](Device& device) {
      return expand_on<std::uint32_t>(device, r, counts, nullptr, *outputs);
    });
    if (made) {
      examine<std::uint32_t>(r, counts, *made,
                             [](std::size_t i) { return static_cast<std::uint32_t>(i); });
    }
    return made;
  }();
  // The outputs made are no more than fit; what was asked for is the sum.
  if (outcome) outcome->run.report.total = total;
  return outcome;
}

Json json_report(const ExpandRequest& r, std::uint64_t n, const Outcome& outcome) {
  const ExpansionReport& report = outcome.run.report;
  Json object = json_object("expand");
  object["n"] = n;
  object["type"] = name(type_of_values(outcome.result.values));
  object["algorithm"] = outcome.run.algorithm;
  object["device"] = json_device(outcome.device);
  object["total"] = json_value(report.total);
  object["count"] = report.written;
  object["capacity"] = nullptr;
  if (r.capacity) object["capacity"] = json_value(*r.capacity);
  object["overflow"] = report.total > report.written;
  object["check"] = json_check(r.check, outcome.difference);
  object["time"] = json_time(outcome.run.timing);
  object["output"] = nullptr;
  if (r.output && !outcome.difference) object["output"] = *r.output;
  object["picture"] = nullptr;
  if (r.picture) object["picture"] = *r.picture;
  if (Json values = json_values(r, outcome.result.values); !values.is_null()) {
    object["values"] = std::move(values);
  }
  return object;
}

std::vector<std::string> texts_of(const Values& values) {
  std::vector<std::string> texts;
  std::visit(
      [&](const auto& all) {
        for (const auto value : all) texts.push_back(to_string(Scalar{value}));
      },
      values);
  return texts;
}

Result<void> draw(const ExpandRequest& r, const std::vector<std::uint32_t>& counts,
                  const Values& values, const Outcome& outcome) {
  picture::AllocationPicture data{
      .title = r.values ? "expand: every value, count times" : "expand: every index, count times",
      .counts = counts,
      .capacity = r.capacity,
      .whole_items = false,
      .checked = r.check,
      .device = describe_device(outcome.device)};
  if (picture::draws_each_place(data)) {
    data.outputs = texts_of(outcome.result.values);
    if (r.values) {
      data.items = texts_of(values);
    } else {
      for (std::size_t i = 0; i < counts.size(); ++i) data.items.push_back(std::to_string(i));
    }
  }
  return write_picture(r, picture::allocation_scene(data));
}

void say_summary(const ExpandRequest& r, std::uint64_t n, const Outcome& outcome) {
  if (outcome.difference) return say_wrong(r, *outcome.difference);
  const ExpansionReport& report = outcome.run.report;
  std::string line = fmt::format("cumulo: {} items to {} {}, {} on {}", n, report.written,
                                 r.values ? name(type_of_values(outcome.result.values)) : "indices",
                                 outcome.run.algorithm, describe_device(outcome.device));
  if (report.total > report.written) line += fmt::format(", of {} asked for", report.total);
  if (outcome.run.timing) line += ", " + describe_time(*outcome.run.timing);
  if (r.check) line += "; every element checked";
  say(line);
}

}  // namespace

int run_expand(const Arguments& arguments) {
  ExpandRequest r;
  CLI::App app("Every item as often as its count says: its value, or its index.", "cumulo expand");
  add_file_options(app, r);
  app.add_option("--values", r.values, "a file of values, one for each count");
  app.add_option("--values-column", r.values_column, "of a .csv, .tsv or .npy of values");
  app.add_option("--values-dtype", r.values_dtype, "of a .bin or .raw of values");
  app.add_option("--capacity", r.capacity_word, "write so many outputs at most");
  add_common_options(app, r, "counts, offsets and outputs");
  app.footer(example);
  if (const auto status = parse_arguments(app, arguments)) return *status;

  if (auto ok = interpret(r); !ok) return report_error(ok.error(), r.report.json);
  std::vector<std::uint32_t> counts;
  Values values;
  auto outcome = compute(r, counts, values);
  if (outcome && r.picture) {
    if (auto drawn = draw(r, counts, values, *outcome); !drawn) {
      outcome = std::unexpected{drawn.error()};
    }
  }
  if (!outcome) return report_error(outcome.error(), r.report.json);
  return deliver(
      r, outcome->difference.has_value(), [&] { return write_values(r, outcome->result); },
      [&] { return json_report(r, counts.size(), *outcome); },
      [&] { say_summary(r, counts.size(), *outcome); });
}

}  // namespace cumulo::app

// cumulo compact, partition, unique and runs: a file in, the selected elements in their order out.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "anywhere.hpp"
#include "command.hpp"
#include "cumulo/selection.hpp"
#include "select_request.hpp"

namespace cumulo::app {
namespace {

struct Words {
  const char* description;
  const char* footer;
};

constexpr const char* language =
    "A predicate compares x (the number), i (its index) and columns by their names: < <= > >= == "
    "!=,\n"
    "+ - * / // %, and, or, not, parentheses; names that are no words go between backquotes\n"
    "(docs/predicates.md).\n";

Words words_of(SelectKind kind) {
  switch (kind) {
    case SelectKind::compact:
      return {"The numbers, or rows of a table, that are kept, in their order.",
              "Example\n"
              "  printf '3 1 4 1 5 9 2 6' | cumulo compact - --where 'x > 3'\n"
              "prints 4 5 9 6, a value a line.\n"
              "  cumulo compact data.csv --where 'price < 25 and stock > 0' -o kept.csv\n"
              "keeps whole rows as they are, below the header.\n"
              "  cumulo compact data.npy --keep flags.npy --indices -o kept.npy\n"
              "writes where the flags are not 0.\n"
              "\n"
              "A .csv or .tsv without --column and --dtype is selected by whole rows; without a\n"
              "header its columns are c0, c1 ... FLAGS in .bin or .raw are bytes.\n"
              "JSON adds count (how many are kept), values, indices or rows, and with --capacity\n"
              "capacity and overflow.\n"};
    case SelectKind::partition:
      return {"The numbers, or rows of a table, that are kept, then the others, both in order.",
              "Example\n"
              "  printf '3 1 4 1 5 9 2 6' | cumulo partition - --where 'x % 2 == 0'\n"
              "prints 4 2 6 3 1 1 5 9, a value a line; the split is 3.\n"
              "  cumulo partition - --where 'x < 3' --second 'x < 6'\n"
              "makes three parts: those below 3, those of the others below 6, and the rest.\n"
              "\n"
              "JSON adds split (where the others begin), with --second second_split (where the\n"
              "rest begins), and values, indices or rows.\n"};
    case SelectKind::unique:
      return {"The first of each run of equal neighbours.",
              "Example\n"
              "  printf '1 1 2 2 2 1' | cumulo unique -\n"
              "prints 1 2 1, a value a line; --indices gives 0 2 5.\n"
              "\n"
              "Floats are equal where their bits are: -0 and 0 are not, a NaN equals itself.\n"
              "JSON adds count, and values or indices.\n"};
    case SelectKind::runs: break;
  }
  return {"Run-length encoding: value, length and start of each run of equal neighbours.",
          "Example\n"
          "  printf '1 1 2 2 2 1' | cumulo runs -\n"
          "prints 1 2 0, 2 3 2, 1 1 5: a value, how often it stands there, and from where on.\n"
          "\n"
          "OUT has three columns, in .npy a record of value, length and start, in .bin the same.\n"
          "Floats are equal where their bits are: -0 and 0 are not, a NaN equals itself.\n"
          "JSON adds runs (their number), values, lengths and starts.\n"};
}

bool has_predicate(SelectKind kind) {
  return kind == SelectKind::compact || kind == SelectKind::partition;
}

void add_options(CLI::App& app, SelectRequest& r) {
  add_file_options(app, r);
  if (has_predicate(r.kind)) {
    app.add_option("--keep", r.keep, "a file with a flag for each: any number but 0 keeps");
    app.add_option("--where", r.where, "a predicate that decides, as in 'x > 3'");
  }
  if (r.kind == SelectKind::partition) {
    app.add_option("--second", r.second, "a second predicate: those that it selects come second");
  }
  if (r.kind != SelectKind::runs) {
    app.add_flag("--indices", r.indices, "indices instead of values or rows");
  }
  if (r.kind != SelectKind::partition) {
    app.add_option("--capacity", r.capacity_word, "write so many results at most");
  }
  app.add_option("--algorithm", r.algorithm_word, "auto, mask-then-scatter or single-pass");
  add_common_options(app, r, "what is kept");
}

std::unexpected<Error> refused(std::string what) {
  return std::unexpected{Error{ErrorKind::bad_argument, std::move(what)}};
}

Result<void> check_choice(const SelectRequest& r) {
  if (!has_predicate(r.kind)) return {};
  if (r.keep.has_value() == r.where.has_value()) {
    return refused(fmt::format(
        "{} goes by --keep FLAGS or by --where 'PREDICATE': give one of them", name(r.kind)));
  }
  if (r.second && !r.where) return refused("--second goes with --where");
  if (r.keep == "-" && r.input == "-") {
    return refused("IN and --keep cannot both be standard input");
  }
  return {};
}

Result<void> interpret(SelectRequest& r) {
  if (auto ok = interpret_common(r, name(r.kind)); !ok) return ok;
  if (auto ok = check_choice(r); !ok) return ok;
  if (r.keep && r.output && *r.keep != "-") {
    if (auto ok = check_writable(*r.output, *r.keep, r.force); !ok) return ok;
  }
  if (r.capacity_word) {
    auto capacity = parse_count("--capacity", *r.capacity_word);
    if (!capacity) return std::unexpected{std::move(capacity.error())};
    r.capacity = *capacity;
  }
  const auto algorithm = parse_selection_algorithm_word(r.algorithm_word);
  if (!algorithm) return std::unexpected{algorithm.error()};
  r.algorithm = *algorithm;
  return {};
}

// The columns that predicates read come first; then the values, where they are none of them.
SelectionDescription describe(const SelectRequest& r, const SelectInput& input) {
  SelectionDescription d{
      .n = input.n,
      .predicate = input.predicate,
      .second = input.second,
      .heads = !has_predicate(r.kind),
      .indices = r.indices || input.by_rows || r.picture.has_value() || r.kind == SelectKind::runs,
      .lengths = r.kind == SelectKind::runs,
      .capacity = r.capacity.value_or(std::numeric_limits<std::uint64_t>::max()),
      .algorithm = r.algorithm};
  if (r.keep) d.flags = FlagType::u8;
  if (r.kind == SelectKind::partition) d.rest = input.second ? Rest::three_way : Rest::follows;
  const bool keeps_values = !input.by_rows && !r.indices;
  for (std::size_t k = 0; k < input.columns.size(); ++k) {
    const bool is_values = k == input.column_of_values;
    d.arrays.push_back({.element_bytes = input.predicate->columns[k].element_bytes(),
                        .is_kept = is_values && keeps_values});
  }
  if (!input.by_rows && !input.column_of_values && (keeps_values || d.heads)) {
    const auto bytes = static_cast<std::uint32_t>(size_of(type_of_values(input.values.values)));
    d.arrays.push_back({.element_bytes = bytes, .is_kept = keeps_values});
  }
  return d;
}

Result<Selected> select_on(Device& device, const SelectRequest& r, const SelectInput& input) {
  Selected selected{.description = describe(r, input)};
  const SelectionDescription& d = selected.description;
  const std::uint64_t room = result_count(d);
  SelectionInput in{.arrays = {}, .flags = std::as_bytes(std::span{input.flags})};
  SelectionOutput out{.kept = {}};
  for (std::size_t k = 0; k < input.columns.size(); ++k) {
    in.arrays.push_back(input.column_bytes(k));
  }
  std::visit(
      [&]<class T>(const std::vector<T>& values) {
        if (in.arrays.size() < d.arrays.size()) {
          in.arrays.push_back(std::as_bytes(std::span{values}));
        }
        std::vector<T>& kept = selected.values.emplace<std::vector<T>>();
        if (std::ranges::none_of(d.arrays, &SelectionArray::is_kept)) return;
        kept.resize(room);
        out.kept.push_back(std::as_writable_bytes(std::span{kept}));
      },
      input.values.values);
  if (d.indices) selected.indices.resize(room);
  if (d.lengths) selected.lengths.resize(room);
  out.indices = selected.indices;
  out.lengths = selected.lengths;
  auto report = select_bytes(device, d, in, out, {.timed_runs = r.time ? timed_runs : 0});
  if (!report) return std::unexpected{std::move(report.error())};
  selected.report = std::move(*report);
  selected.device = device.info();
  selected.results =
      d.rest == Rest::dropped ? std::min<std::uint64_t>(selected.report.count, room) : d.n;
  const auto shrink = [&](auto& results) {
    if (!results.empty()) results.resize(selected.results);
  };
  std::visit(shrink, selected.values);
  shrink(selected.indices);
  shrink(selected.lengths);
  return selected;
}

// For tests of --check.
void break_element(std::uint64_t index, Selected& selected) {
  const auto change = [&](auto& results) {
    if (index < results.size()) results[index] = results[index] == 0 ? 1 : 0;
  };
  if (!selected.indices.empty()) return change(selected.indices);
  std::visit(change, selected.values);
}

Result<Selected> compute(const SelectRequest& r, SelectInput& input) {
  auto read = read_select_input(r);
  if (!read) return std::unexpected{std::move(read.error())};
  input = std::move(*read);
  if (input.n > std::numeric_limits<std::uint32_t>::max()) {
    return refused(
        fmt::format("{} has {} elements; {} numbers them in 32 bits, so that 2^32 - 1 "
                    "are the most",
                    source_name(r.input), input.n, name(r.kind)));
  }
  if (auto fits = require_memory(input.n * 16, "the result"); !fits) {
    return std::unexpected{std::move(fits.error())};
  }
  auto selected = done_anywhere(r.device, r.report.quiet,
                                [&](Device& device) { return select_on(device, r, input); });
  if (!selected) return selected;
  if (r.broken) break_element(*r.broken, *selected);
  if (r.check) selected->difference = first_difference(input, *selected);
  return selected;
}

// Rows stay as they are, with the separators that they have.
Result<void> check_output(const SelectRequest& r) {
  if (!r.output || r.indices || !has_predicate(r.kind) || r.column || r.type) return {};
  const auto format = format_to_read(r.input, r.input_format);
  if (!format || (*format != Format::csv && *format != Format::tsv)) return {};
  if (r.output_format == *format) return {};
  return refused(
      fmt::format("whole rows of {} are kept as they are: OUT must be a .{}, not '{}'; "
                  "--column chooses numbers of one column",
                  source_name(r.input), *format == Format::csv ? "csv" : "tsv", *r.output));
}

int run_select(SelectKind kind, const Arguments& arguments) {
  SelectRequest r;
  r.kind = kind;
  const Words words = words_of(kind);
  CLI::App app(words.description, "cumulo " + std::string(name(kind)));
  add_options(app, r);
  app.footer(std::string(words.footer) + (has_predicate(kind) ? "\n" + std::string(language) : ""));
  if (const auto status = parse_arguments(app, arguments)) return *status;

  const bool json = r.report.json;
  if (auto ok = interpret(r); !ok) return report_error(ok.error(), json);
  if (auto ok = check_output(r); !ok) return report_error(ok.error(), json);
  SelectInput input;
  auto selected = compute(r, input);
  if (!selected) return report_error(selected.error(), json);
  // A wrong result is shown in the picture, and never written as a result.
  if (r.picture) {
    if (auto drawn = draw_selected(r, input, *selected); !drawn) {
      return report_error(drawn.error(), json);
    }
  }
  return deliver(
      r, selected->difference.has_value(), [&] { return write_selected(r, input, *selected); },
      [&] { return select_report(r, input, *selected); },
      [&] { say_selected(r, input, *selected); });
}

}  // namespace

int run_compact(const Arguments& arguments) { return run_select(SelectKind::compact, arguments); }
int run_partition(const Arguments& arguments) {
  return run_select(SelectKind::partition, arguments);
}
int run_unique(const Arguments& arguments) { return run_select(SelectKind::unique, arguments); }
int run_runs(const Arguments& arguments) { return run_select(SelectKind::runs, arguments); }

}  // namespace cumulo::app

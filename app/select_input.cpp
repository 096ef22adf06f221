// What compact, partition, unique and runs read.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "cumulo/predicate_language.hpp"
#include "formats/format.hpp"
#include "select_request.hpp"

namespace cumulo::app {
namespace {

std::unexpected<Error> refused(std::string what) {
  return std::unexpected{Error{ErrorKind::bad_argument, std::move(what)}};
}

// A word of the command line before what is wrong with it.
std::unexpected<Error> of_option(std::string_view option, Error error) {
  error.message = fmt::format("{}: {}", option, error.message);
  return std::unexpected{std::move(error)};
}

// Whether the shortest text of the nearest f32 is the same number: then f32 holds what was written.
bool holds_as_written(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || value != value) return true;
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), nearest);
  double read = 0;
  std::from_chars(text.data(), end.ptr, read);
  return read == value;
}

struct Option {
  std::string_view name;
  const std::optional<std::string>& text;
};

class Reader {
 public:
  explicit Reader(const SelectRequest& request) : r_(request) {}

  Result<SelectInput> read() {
    const auto format = format_to_read(r_.input, r_.input_format);
    if (!format) return std::unexpected{format.error()};
    is_table_ = *format == Format::csv || *format == Format::tsv;
    separator_ = *format == Format::tsv ? '\t' : ',';
    const bool takes_rows = r_.kind == SelectKind::compact || r_.kind == SelectKind::partition;
    in_.by_rows = is_table_ && takes_rows && !r_.column && !r_.type;
    if (auto ok = is_table_ ? read_rows() : read_numbers(); !ok) {
      return std::unexpected{std::move(ok.error())};
    }
    if (auto ok = find_header(); !ok) return std::unexpected{std::move(ok.error())};
    in_.n = in_.by_rows ? in_.table.count() : count(in_.values);
    if (auto ok = read_predicates(); !ok) return std::unexpected{std::move(ok.error())};
    if (auto ok = read_flags(); !ok) return std::unexpected{std::move(ok.error())};
    return std::move(in_);
  }

 private:
  static std::size_t count(const Array& array) { return app::count(array.values); }
  bool show_progress() const { return !r_.report.quiet; }

  Result<void> read_numbers() {
    auto read =
        read_array(r_.input, r_.input_format,
                   {.type = r_.type, .column = r_.column, .show_progress = show_progress()});
    if (!read) return std::unexpected{std::move(read.error())};
    in_.values = std::move(*read);
    return {};
  }

  Result<void> read_rows() {
    auto text = read_whole(r_.input, show_progress());
    if (!text) return std::unexpected{std::move(text.error())};
    in_.text = std::make_unique<const std::string>(std::move(*text));
    const std::string source = source_name(r_.input);
    if (in_.by_rows || r_.where) {
      auto table = read_table(*in_.text, separator_, source);
      if (!table) return std::unexpected{std::move(table.error())};
      in_.table = std::move(*table);
    }
    if (in_.by_rows) return {};
    auto values =
        read_delimited(*in_.text, separator_, source,
                       {.type = r_.type, .column = r_.column, .show_progress = show_progress()});
    if (!values) return std::unexpected{std::move(values.error())};
    in_.values = std::move(*values);
    return {};
  }

  std::array<Option, 2> predicates() const {
    return {Option{"--where", r_.where}, Option{"--second", r_.second}};
  }

  // x is the numbers that are selected; a table's columns have their own names too.
  std::vector<std::string> with_x(std::vector<std::string> names) const {
    const bool has_x = !in_.by_rows || names.size() == 1;
    if (has_x && std::ranges::find(names, "x") == names.end()) names.emplace_back("x");
    return names;
  }

  // Which of the names the predicates read.
  Result<std::vector<bool>> read_of(const std::vector<std::string>& names) const {
    std::vector<bool> is_read(names.size(), false);
    for (const auto& [option, text] : predicates()) {
      if (!text) continue;
      const auto read = columns_read(*text, names);
      if (!read) return of_option(option, read.error());
      for (const std::size_t k : *read) is_read[k] = true;
    }
    return is_read;
  }

  // A first row that does not look like one is a header where the predicates, or --column, read its
  // names.
  Result<void> find_header() {
    if (!r_.where || in_.table.named) return {};
    const bool is_named = in_.by_rows ? !read_of(with_x(in_.table.names)) &&
                                            read_of(with_x(in_.table.first_row)).has_value()
                                      : is_table_ && !in_.values.column.empty();
    if (!is_named) return {};
    auto table = read_table(*in_.text, separator_, source_name(r_.input), FirstRow::names);
    if (!table) return std::unexpected{std::move(table.error())};
    in_.table = std::move(*table);
    return {};
  }

  Result<void> read_predicates() {
    if (!r_.where) return {};
    const std::vector<std::string> names = with_x(in_.table.names);
    auto is_read = read_of(names);
    if (!is_read) {
      is_read.error().message += in_.table.hint;
      return std::unexpected{std::move(is_read.error())};
    }
    std::vector<PredicateColumn> columns;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (!(*is_read)[k]) continue;
      auto type = read_column(k);
      if (!type) return std::unexpected{std::move(type.error())};
      columns.push_back({.name = names[k], .type = *type});
    }
    constexpr std::size_t most_columns = 8;
    if (columns.size() > most_columns) {
      return refused(
          fmt::format("--where reads {} columns; at most {} can be", columns.size(), most_columns));
    }
    for (const auto& [option, text] : predicates()) {
      if (!text) continue;
      auto made = parse_predicate(*text, columns);
      if (!made) return of_option(option, std::move(made.error()));
      (option == "--where" ? in_.predicate : in_.second) = std::move(*made);
    }
    return {};
  }

  // Column k of the table, or x.
  Result<Type> read_column(std::size_t k) {
    if (k >= in_.table.names.size() && !in_.by_rows) {
      in_.column_of_values = in_.columns.size();
      in_.columns.emplace_back();
      return type_of_values(in_.values.values);
    }
    const std::size_t index = k < in_.table.names.size() ? k : 0;
    auto column = read_table_column(index, std::nullopt);
    // A predicate must not find numbers equal that the text tells apart.
    if (!column || std::holds_alternative<std::vector<float>>(column->values)) {
      auto exact = read_table_column(index, Type::f64);
      if (!exact) return std::unexpected{std::move(exact.error())};
      const auto& values = std::get<std::vector<double>>(exact->values);
      if (!column || !std::ranges::all_of(values, holds_as_written)) column = std::move(exact);
    }
    if (count(*column) != in_.n) {
      return refused(fmt::format(
          "column '{}' has {} numbers where --column has {}: whether the first row is a header is "
          "not clear",
          in_.table.names[index], count(*column), in_.n));
    }
    in_.columns.push_back(std::move(*column));
    return type_of_values(in_.columns.back().values);
  }

  Result<Array> read_table_column(std::size_t index, std::optional<Type> type) {
    return read_delimited(*in_.text, separator_, source_name(r_.input),
                          {.type = type,
                           .place = ColumnPlace{index, in_.table.named},
                           .show_progress = show_progress()});
  }

  // Any number but 0 is set; .bin and .raw hold bytes.
  Result<void> read_flags() {
    if (!r_.keep) return {};
    const auto format = format_to_read(*r_.keep, std::nullopt);
    if (!format) return std::unexpected{format.error()};
    if (*format == Format::bin || *format == Format::raw) {
      auto bytes = read_whole(*r_.keep, show_progress());
      if (!bytes) return std::unexpected{std::move(bytes.error())};
      in_.flags.assign(bytes->begin(), bytes->end());
    } else {
      auto flags = read_array(*r_.keep, std::nullopt,
                              {.show_progress = show_progress(), .column_option = ""});
      if (!flags) return std::unexpected{std::move(flags.error())};
      std::visit(
          [&](const auto& values) {
            in_.flags.resize(values.size());
            std::ranges::transform(values, in_.flags.begin(),
                                   [](auto value) { return std::uint8_t{value != 0}; });
          },
          flags->values);
    }
    if (in_.flags.size() == in_.n) return {};
    return refused(fmt::format("{} has {} flags for the {} {} of {}", source_name(*r_.keep),
                               in_.flags.size(), in_.n, in_.by_rows ? "rows" : "numbers",
                               source_name(r_.input)));
  }

  const SelectRequest& r_;
  SelectInput in_;
  bool is_table_ = false;
  char separator_ = ',';
};

}  // namespace

std::span<const std::byte> SelectInput::column_bytes(std::size_t column) const {
  const Values& read = column == column_of_values ? values.values : columns[column].values;
  return std::visit([](const auto& v) { return std::as_bytes(std::span{v}); }, read);
}

Result<SelectInput> read_select_input(const SelectRequest& request) {
  return Reader(request).read();
}

}  // namespace cumulo::app

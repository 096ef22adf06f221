// .csv and .tsv: rows of fields after RFC 4180, with a header line or without.
#include <algorithm>
#include <charconv>
#include <utility>

#include "formats/parse_values.hpp"
#include "formats/readers.hpp"
#include "predicate/nearest.hpp"

namespace cumulo::app {
namespace {

enum class FieldEnd : std::uint8_t { separator, line, text };

struct Field {
  std::string_view content;  // of a quoted field what stands between its quotes, "" not yet "
  FieldEnd end = FieldEnd::text;
  bool quoted = false;
  const char* fault = nullptr;  // what is wrong with its quotes
};

// Reads one field at p and moves p behind it and its separator or line end.
Field next_field(const char*& p, const char* const end, char separator) {
  Field field;
  const char* first = p;
  if (p != end && *p == '"') {
    field.quoted = true;
    first = ++p;
    while (true) {
      p = std::find(p, end, '"');
      if (p == end) {
        field.fault = "a quoted field does not end";
        return field;
      }
      if (p + 1 == end || p[1] != '"') break;
      p += 2;
    }
    field.content = {first, p++};
    if (p != end && *p != separator && *p != '\n' && *p != '\r') {
      field.fault = "more text after a closing quote";
      return field;
    }
  } else {
    while (p != end && *p != separator && *p != '\n' && *p != '\r') ++p;
    field.content = {first, p};
  }
  if (p == end) return field;
  field.end = *p == separator ? FieldEnd::separator : FieldEnd::line;
  const bool pair = *p == '\r' && p + 1 != end && p[1] == '\n';
  p += pair ? 2 : 1;
  return field;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string unquoted(const Field& field) {
  std::string text(trimmed(field.content));
  if (!field.quoted) return text;
  for (std::size_t at = 0; (at = text.find("\"\"", at)) != std::string::npos; ++at)
    text.erase(at, 1);
  return text;
}

class DelimitedSource {
 public:
  DelimitedSource(std::string_view text, char separator, std::string name)
      : text_(text), separator_(separator), name_(std::move(name)) {
    // Line ends after the last row are no rows.
    while (text_.ends_with('\n') || text_.ends_with('\r')) text_.remove_suffix(1);
  }

  std::string_view text() const { return text_; }
  const std::string& name() const { return name_; }
  Columns columns() const { return {first_row_.size(), has_header_}; }
  std::string column_name() const { return has_header_ ? first_row_[column_] : ""; }
  // To be added to an error: what may be wrong with the whole file.
  std::string hint() const;

  // Reads the first row: how many columns there are, and what may be their names.
  Result<void> read_header();
  // Then it is known as well whether the first row holds names or numbers.
  Result<void> choose_column(const ReadOptions& options);

  // For rows that are kept as they are.
  Result<Table> table(std::string_view bytes, FirstRow first_row);
  void choose(const ColumnPlace& place) {
    column_ = place.index;
    has_header_ = place.below_header;
  }

  template <class Sink>
  Result<bool> each(Sink&& sink) const {
    return each(sink, [](const char*) {});
  }

  // begin(row) where a row begins.
  template <class Sink, class Begin>
  Result<bool> each(Sink&& sink, Begin&& begin) const {
    const char* p = text_.data() + (has_header_ ? first_row_end_ : 0);
    const char* const end = text_.data() + text_.size();
    while (p != end) {
      const char* const row = p;
      begin(row);
      std::size_t columns = 0;
      Field field;
      do {
        const char* const start = p;
        field = next_field(p, end, separator_);
        if (field.fault) return fault(start, field.fault);
        if (columns++ == column_ && !sink(trimmed(field.content))) return false;
      } while (field.end == FieldEnd::separator);
      if (columns != first_row_.size()) return ragged(row, columns);
    }
    return true;
  }

 private:
  std::unexpected<Error> fault(const char* at, const std::string& what) const {
    const auto offset = static_cast<std::size_t>(at - text_.data());
    return refused(", " + place(text_, offset) + ": " + what);
  }
  std::unexpected<Error> ragged(const char* row, std::size_t columns) const {
    const auto fields = [](std::size_t n) {
      return std::to_string(n) + (n == 1 ? " field" : " fields");
    };
    const auto offset = static_cast<std::size_t>(row - text_.data());
    std::string where = place(text_, offset);
    where.resize(where.find(','));
    return refused(", " + where + ": " + fields(columns) + " where the first line has " +
                   fields(first_row_.size()));
  }
  std::unexpected<Error> refused(const std::string& what) const {
    return std::unexpected{Error{ErrorKind::bad_argument, name_ + what}};
  }
  std::string list_columns() const;
  std::string no_such_column(const std::string& wanted) const;

  std::string_view text_;
  char separator_;
  std::string name_;
  std::vector<std::string> first_row_;  // its fields
  std::size_t first_row_end_ = 0;
  bool has_header_ = false;  // the first row holds the columns' names,
  bool surely_header_ = false;
  std::size_t column_ = 0;
};

bool is_name(const std::string& field) { return !field.empty() && !is_number(field); }

Result<void> DelimitedSource::read_header() {
  if (text_.empty()) return {};
  const char* p = text_.data();
  const char* const end = p + text_.size();
  Field field;
  do {
    const char* const start = p;
    field = next_field(p, end, separator_);
    if (field.fault) return fault(start, field.fault);
    first_row_.push_back(unquoted(field));
    if (is_name(first_row_.back())) has_header_ = true;
  } while (field.end == FieldEnd::separator);
  first_row_end_ = static_cast<std::size_t>(p - text_.data());
  if (!has_header_) return {};
  // A text above a number is a name. A text above another one may be a label of its row.
  for (std::size_t column = 0; column < first_row_.size() && p != end; ++column) {
    field = next_field(p, end, separator_);
    if (field.fault) break;
    if (is_name(first_row_[column]) && is_number(unquoted(field))) surely_header_ = true;
    if (field.end != FieldEnd::separator) break;
  }
  return {};
}

Result<Table> DelimitedSource::table(std::string_view bytes, FirstRow first_row) {
  if (first_row == FirstRow::names) {
    has_header_ = true;
  } else if (!surely_header_ && std::ranges::any_of(first_row_, is_number)) {
    has_header_ = false;
  }
  // Only the mark stands before the text.
  const auto begin = static_cast<std::size_t>(text_.data() - bytes.data());
  Table table{.names = {},
              .named = has_header_,
              .first_row = first_row_,
              .hint = hint(),
              .mark = bytes.substr(0, begin),
              .header = {},
              .text = bytes,
              .rows = {}};
  if (has_header_) table.names = first_row_;
  for (std::size_t k = table.names.size(); k < first_row_.size(); ++k) {
    table.names.push_back("c" + std::to_string(k));
  }
  auto read = each(
      [](std::string_view) { return true; },
      [&](const char* row) { table.rows.push_back(static_cast<std::size_t>(row - bytes.data())); });
  if (!read) return std::unexpected{std::move(read.error())};
  // The last line's own end, of those that were taken off.
  std::size_t end = begin + text_.size();
  if (end < bytes.size()) end += bytes.substr(end, 2) == "\r\n" ? 2 : 1;
  const std::size_t body = table.rows.empty() ? end : table.rows.front();
  if (table.named) table.header = bytes.substr(begin, body - begin);
  table.rows.push_back(end);
  return table;
}

std::string DelimitedSource::list_columns() const {
  constexpr std::size_t most = 20;
  const std::size_t columns = first_row_.size();
  if (columns == 0) return "it has no columns";
  if (!has_header_) {
    return columns == 1 ? "it has one column without a name: 0"
                        : "its columns have no names: 0 to " + std::to_string(columns - 1);
  }
  std::string list = columns == 1 ? "its column is " : "its columns are ";
  for (std::size_t i = 0; i < std::min(columns, most); ++i) list += (i ? ", " : "") + first_row_[i];
  return columns > most ? list + " and " + std::to_string(columns - most) + " more" : list;
}

// Other programs take fields apart at other characters.
std::string DelimitedSource::hint() const {
  if (first_row_.size() != 1) return "";
  const std::string_view first = text_.substr(0, first_row_end_);
  const auto has = [&](char c) { return c != separator_ && first.find(c) != first.npos; };
  const std::string own = separator_ == ',' ? "comma" : "tab";
  if (has('\t')) return "; its first line has tabs and no comma: --format tsv reads it so";
  if (has(',')) return "; its first line has commas and no tab: --format csv reads it so";
  for (const char other : {';', '|'}) {
    if (!has(other)) continue;
    return std::string("; its first line has '") + other + "' and no " + own +
           ": fields must be apart by commas (.csv) or tabs (.tsv)";
  }
  return "";
}

std::string DelimitedSource::no_such_column(const std::string& wanted) const {
  std::string what = " has no column '" + wanted + "'; " + list_columns();
  if (!has_header_ && std::ranges::find(first_row_, wanted) != first_row_.end()) {
    return what + "; if its first line holds names, write it between backquotes: '`" + wanted +
           "`'";
  }
  if (!has_header_) return what;
  const std::string near = predicate::nearest(wanted, first_row_);
  return near.empty() ? what : what + "; did you mean " + near + "?";
}

// What stands between backquotes, as names do in predicates.
std::optional<std::string> quoted_name(const std::string& word) {
  if (word.size() < 3 || !word.starts_with('`') || !word.ends_with('`')) return std::nullopt;
  return word.substr(1, word.size() - 2);
}

Result<void> DelimitedSource::choose_column(const ReadOptions& options) {
  if (!options.column) {
    if (first_row_.size() <= 1) return {};
    return refused(" has " + std::to_string(first_row_.size()) + " columns; " +
                   how_to_choose_column(options) + ": " + list_columns());
  }
  std::string wanted = *options.column;
  const auto named = [&] { return std::ranges::count(first_row_, wanted); };
  const auto inside = quoted_name(wanted);
  const bool is_quoted = inside && named() == 0;
  if (is_quoted) wanted = *inside;
  std::size_t index = 0;
  const char* const last = wanted.data() + wanted.size();
  const auto [end, error] = std::from_chars(wanted.data(), last, index);
  const bool is_index =
      !is_quoted && error == std::errc{} && end == last && index < first_row_.size();
  // A first row like "a,1" may hold the number 1, and no name of that kind.
  const bool may_be_name = is_quoted || (has_header_ && (surely_header_ || !is_index));
  if (may_be_name && named() > 1) {
    return refused(" has several columns '" + wanted + "'; choose by index from 0");
  }
  if (may_be_name && named() == 1) {
    column_ = static_cast<std::size_t>(std::ranges::find(first_row_, wanted) - first_row_.begin());
    has_header_ = true;
    return {};
  }
  if (!is_index) return refused(no_such_column(wanted));
  column_ = index;
  if (!surely_header_ && is_number(first_row_[column_])) has_header_ = false;
  return {};
}

}  // namespace

Result<Columns> read_columns(std::string_view bytes, char separator, const std::string& name) {
  DelimitedSource source(without_mark(bytes), separator, name);
  if (auto read = source.read_header(); !read) return std::unexpected{std::move(read.error())};
  return source.columns();
}

Result<Table> read_table(std::string_view bytes, char separator, const std::string& name,
                         FirstRow first_row) {
  DelimitedSource source(without_mark(bytes), separator, name);
  if (auto read = source.read_header(); !read) return std::unexpected{std::move(read.error())};
  auto table = source.table(bytes, first_row);
  if (!table) table.error().message += source.hint();
  return table;
}

Result<Array> read_delimited(std::string_view bytes, char separator, const std::string& name,
                             const ReadOptions& options) {
  DelimitedSource source(without_mark(bytes), separator, name);
  if (auto read = source.read_header(); !read) return std::unexpected{std::move(read.error())};
  auto array = [&]() -> Result<Array> {
    if (options.place) {
      source.choose(*options.place);
    } else if (auto chosen = source.choose_column(options); !chosen) {
      return std::unexpected{std::move(chosen.error())};
    }
    auto values = parse_values(source, options.type, options.show_progress);
    if (!values) return std::unexpected{std::move(values.error())};
    return Array{
        .values = std::move(*values), .column = source.column_name(), .inferred = !options.type};
  }();
  if (!array) array.error().message += source.hint();
  return array;
}

}  // namespace cumulo::app

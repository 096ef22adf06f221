// The reader of each format: bytes in memory to an Array. `source` names them in messages.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cumulo/error.hpp"
#include "formats/array.hpp"

namespace cumulo::app {

// A column where it is known already whether the first row is a header.
struct ColumnPlace {
  std::size_t index = 0;
  bool below_header = false;
};

struct ReadOptions {
  std::optional<Type> type = std::nullopt;
  std::optional<std::string> column = std::nullopt;  // of .csv and .tsv: name, or index from 0
  std::optional<ColumnPlace> place = std::nullopt;   // the same, over `column`
  bool show_progress = false;
};

Result<Array> read_npy(std::string_view bytes, const std::string& source,
                       const ReadOptions& options);
// How many columns there are, and whether the first row names them.
struct Columns {
  std::size_t count = 0;
  bool named = false;
};
Result<Columns> read_columns(std::string_view bytes, char separator, const std::string& source);

// The rows of a .csv or .tsv as they lie in its text. The first one is a header where it has no
// number, or a name above one.
struct Table {
  std::vector<std::string> names;  // of the columns; c0, c1 ... where there is no header
  bool named = false;
  std::string_view mark;          // UTF-8's byte order mark, where the file begins with it
  std::string_view header;        // with its line end; empty where there is none
  std::string_view text;          // which rows are parts of
  std::vector<std::size_t> rows;  // where each begins, and where the last one ends

  std::size_t count() const { return rows.size() - 1; }
  // With its line end, which the last row may lack.
  std::string_view row(std::size_t k) const { return text.substr(rows[k], rows[k + 1] - rows[k]); }
};
Result<Table> read_table(std::string_view bytes, char separator, const std::string& source);

Result<Array> read_delimited(std::string_view bytes, char separator, const std::string& source,
                             const ReadOptions& options);
Result<Array> read_text(std::string_view bytes, const std::string& source,
                        const ReadOptions& options);
Result<Array> read_raw(std::string_view bytes, const std::string& source,
                       const ReadOptions& options);

}  // namespace cumulo::app

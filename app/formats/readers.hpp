// The reader of each format: bytes in memory to an Array. `source` names them in messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cumulo/error.hpp"
#include "formats/array.hpp"

namespace cumulo::app {

struct ReadOptions {
  std::optional<Type> type = std::nullopt;
  std::optional<std::string> column = std::nullopt;  // of .csv and .tsv: name, or index from 0
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
Result<Array> read_delimited(std::string_view bytes, char separator, const std::string& source,
                             const ReadOptions& options);
Result<Array> read_text(std::string_view bytes, const std::string& source,
                        const ReadOptions& options);
Result<Array> read_raw(std::string_view bytes, const std::string& source,
                       const ReadOptions& options);

}  // namespace cumulo::app

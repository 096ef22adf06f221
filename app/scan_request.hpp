// What `cumulo scan` was asked for.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "cumulo/scan.hpp"
#include "formats/file.hpp"
#include "formats/format.hpp"
#include "options.hpp"
#include "report.hpp"

namespace cumulo::app {

inline constexpr std::uint32_t timed_runs = 5;
inline constexpr std::size_t most_json_values = 4096;

struct ScanRequest {
  ScanArguments scan;
  ReportArguments report;
  std::string input;
  std::optional<std::string> output;
  std::optional<std::string> picture;
  std::optional<std::string> dtype;
  std::optional<std::string> column;
  std::optional<std::string> format_word;
  std::string device = "auto";
  bool check = false;
  bool time = false;
  bool force = false;
  std::optional<std::string> break_word;

  // What the words mean.
  ScanDescription description = {};
  std::optional<Type> type = std::nullopt;
  std::optional<Format> input_format = std::nullopt;
  Format output_format = Format::txt;
  std::optional<std::uint64_t> broken = std::nullopt;
};

// Has `write(writer, format)` write the results: to OUT, which then appears complete; or, where
// there is none and JSON does not take its place, as text to standard output.
template <class Write>
Result<void> write_output(const ScanRequest& r, Write&& write) {
  if (!r.output) {
    if (r.report.json) return {};
    Writer writer(STDOUT_FILENO, "standard output");
    return write(writer, Format::txt);
  }
  auto file = PendingFile::create(*r.output);
  if (!file) return std::unexpected{std::move(file.error())};
  Writer writer(file->descriptor(), "'" + *r.output + "'");
  if (auto written = write(writer, r.output_format); !written) return written;
  return file->commit();
}

// Does it where the operator comes from a file. Returns the exit status.
int scan_records(ScanRequest& request);

}  // namespace cumulo::app

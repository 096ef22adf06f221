// What every command that reads a file and writes results was asked for.
#pragma once

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "command.hpp"
#include "cumulo/error.hpp"
#include "cumulo/type.hpp"
#include "formats/array.hpp"
#include "formats/file.hpp"
#include "formats/format.hpp"
#include "options.hpp"
#include "picture/scene.hpp"
#include "report.hpp"

namespace cumulo::app {

inline constexpr std::size_t most_json_values = 4096;

struct Request {
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
  std::optional<Type> type = std::nullopt;
  std::optional<Format> input_format = std::nullopt;
  Format output_format = Format::txt;
  std::optional<std::uint64_t> broken = std::nullopt;
};

// IN and -o, which come first, and the options that all such commands have; `picture` says what
// --picture draws, and is empty where there is no picture.
void add_file_options(CLI::App& app, Request& request);
void add_common_options(CLI::App& app, Request& request, const std::string& picture);

// What can be said of them before the input is read.
Result<void> interpret_common(Request& request, std::string_view command);

// Has `write(writer, format)` write the results: to OUT, which then appears complete; or, where
// there is none and JSON does not take its place, as text to standard output.
template <class Write>
Result<void> write_output(const Request& r, Write&& write) {
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

Result<void> write_picture(const Request& request, Result<picture::Scene> scene);

// Values of an array for JSON, or null where a file has them or they are too many.
Json json_values(const Request& request, const Values& values);

// "the result is wrong: index 3 is 4, and a sequential computation gives 5"
void say_wrong(const Request& request, const Difference& difference);

// The array to OUT, or as text to standard output.
Result<void> write_values(const Request& request, const Array& array);

// Whether a bar may show how far the writing of results is: it and the values would share the
// terminal.
bool shows_writing(const Request& request);

// What every command does in the end: write() the results, unless they are wrong, and tell of them,
// by report() in JSON and say() on standard error. Returns the exit status.
template <class Write, class Report, class Say>
int deliver(const Request& r, bool is_wrong, Write&& write, Report&& report, Say&& say) {
  if (!is_wrong) {
    if (auto written = write(); !written) return report_error(written.error(), r.report.json);
  }
  if (r.report.json) {
    if (const int status = print_json(report()); status != done) return status;
  }
  if (is_wrong || !r.report.quiet) say();
  return is_wrong ? check_failed : done;
}

}  // namespace cumulo::app

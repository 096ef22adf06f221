// Options that several subcommands have.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "cumulo/device.hpp"
#include "cumulo/error.hpp"
#include "cumulo/scan_description.hpp"
#include "cumulo/selection_description.hpp"

namespace cumulo::app {

struct ReportArguments {
  bool json = false;
  bool quiet = false;
};
void add_report_options(CLI::App& app, ReportArguments& arguments);

// What --time, and the demo, measure: the median of so many.
inline constexpr std::uint32_t timed_runs = 5;

// --break-element, which no help shows: makes one result wrong on purpose, for tests of the checks.
void add_break_option(CLI::App& app, std::optional<std::string>& word);
Result<std::optional<std::uint64_t>> parse_break(const std::optional<std::string>& word);

void add_device_option(CLI::App& app, std::string& device);
// Device::open for the option's word.
Result<Device> open_device(const std::string& word);

// What to scan, as words of the command line.
struct ScanArguments {
  bool exclusive = false;
  bool reverse = false;
  bool include_initial = false;
  bool wide = false;
  std::string op = "add";
  std::string algorithm = "auto";
  std::optional<std::string> init;
};
void add_operator_option(CLI::App& app, std::string& op);
void add_wide_option(CLI::App& app, bool& wide);
void add_scan_options(CLI::App& app, ScanArguments& arguments);

// The description without n and init, which need the input's size and type.
Result<ScanDescription> parse_scan(const ScanArguments& arguments);
// `type` is that of the input.
Result<std::optional<Scalar>> parse_init(const ScanArguments& arguments, Type type);

Result<Type> parse_type_word(const std::string& word);
Result<Operator> parse_operator_word(const std::string& word);
Result<ScanKind> parse_kind_word(const std::string& word);
Result<Algorithm> parse_algorithm_word(const std::string& word);
Result<SelectionAlgorithm> parse_selection_algorithm_word(const std::string& word);

Result<std::optional<Type>> parse_dtype(const std::optional<std::string>& word);

// "1048576", "1e6" or "2^20".
Result<std::uint64_t> parse_count(const std::string& option, const std::string& word);

}  // namespace cumulo::app

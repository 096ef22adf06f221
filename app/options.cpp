#include "options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <vector>

#include "command.hpp"
#include "formats/number.hpp"
#include "operator_file.hpp"

namespace cumulo::app {
namespace {

template <class Range>
std::vector<std::string> names_of(const Range& range) {
  std::vector<std::string> names;
  names.reserve(std::size(range));
  for (const auto& value : range) names.emplace_back(name(value));
  return names;
}

bool parse_digits(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

std::optional<std::uint64_t> power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (std::uint64_t i = 0; i < exponent && result > 0 && base != 1; ++i) {
    if (base != 0 && result > std::numeric_limits<std::uint64_t>::max() / base) return std::nullopt;
    result *= base;
  }
  return result;
}

std::optional<std::uint64_t> read_count(std::string_view word) {
  std::uint64_t count = 0;
  if (parse_digits(word, count)) return count;
  if (const auto caret = word.find('^'); caret != std::string_view::npos) {
    std::uint64_t base = 0;
    std::uint64_t exponent = 0;
    if (!parse_digits(word.substr(0, caret), base)) return std::nullopt;
    if (!parse_digits(word.substr(caret + 1), exponent)) return std::nullopt;
    return power(base, exponent);
  }
  constexpr double beyond = 0x1p64;
  double value = 0;
  if (parse_number(word, value) != NumberFault::none) return std::nullopt;
  if (!(value >= 0 && value < beyond) || value != std::floor(value)) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

// Whether the word of --op means a file: it is there, or is written like one.
bool names_a_file(const std::string& word) {
  std::error_code none;
  return word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, none);
}

}  // namespace

void add_report_options(CLI::App& app, ReportArguments& arguments) {
  app.add_flag("--json", arguments.json, "one JSON object on standard output");
  app.add_flag("--quiet", arguments.quiet, "nothing on standard error but errors");
}

void add_device_option(CLI::App& app, std::string& device) {
  app.add_option(
      "--device", device,
      "auto (a hardware GPU, else the CPU backend), cpu, gpu, an index of 'cumulo devices' "
      "or part of a name");
}

void add_break_option(CLI::App& app, std::optional<std::string>& word) {
  app.add_option("--break-element", word, "")->group("");
}

Result<std::optional<std::uint64_t>> parse_break(const std::optional<std::string>& word) {
  if (!word) return std::nullopt;
  return parse_count("--break-element", *word);
}

Result<Device> open_device(const std::string& word) {
  // An empty word would be a part of every name.
  if (word.empty()) {
    return std::unexpected{
        Error{ErrorKind::bad_argument, "--device needs a name, an index, auto, cpu or gpu"}};
  }
  return Device::open(word);
}

void add_operator_option(CLI::App& app, std::string& op) {
  app.add_option(
      "--op", op,
      "add, mul, min, max, and, or, xor, add-saturated (add), or a file with an operator of "
      "yours");
}

void add_wide_option(CLI::App& app, bool& wide) {
  app.add_flag(
      "--wide", wide,
      "sums of u32 in u64, of i32 in i64, of f32 in pairs of f32 (written as f64), of f16 in f32");
}

void add_scan_options(CLI::App& app, ScanArguments& arguments) {
  app.add_flag("--exclusive", arguments.exclusive, "each result without its own element");
  app.add_flag("--reverse", arguments.reverse, "from the last element to the first");
  add_operator_option(app, arguments.op);
  app.add_option("--init", arguments.init, "a value that enters every result once");
  app.add_flag("--include-initial", arguments.include_initial,
               "n + 1 results: the initial value before all others");
  add_wide_option(app, arguments.wide);
  app.add_option("--algorithm", arguments.algorithm,
                 "auto, serial, blocked, reduce-then-scan, single-pass, or a teaching form: "
                 "hillis-steele, blelloch, subgroup");
}

Result<ScanDescription> parse_scan(const ScanArguments& arguments) {
  ScanDescription description{
      .kind = arguments.exclusive ? ScanKind::exclusive : ScanKind::inclusive,
      .reverse = arguments.reverse,
      .include_initial = arguments.include_initial,
      .wide = arguments.wide};
  const auto op = parse_operator(arguments.op);
  if (!op && names_a_file(arguments.op)) {
    auto monoid = read_operator(arguments.op);
    if (!monoid) return std::unexpected{std::move(monoid.error())};
    description.monoid = std::move(*monoid);
  } else if (!op) {
    return std::unexpected{unknown_word("--op", arguments.op, names_of(all_operators),
                                        "is neither an operator nor a file with one")};
  }
  const auto algorithm = parse_algorithm_word(arguments.algorithm);
  if (!algorithm) return std::unexpected{algorithm.error()};
  description.op = op.value_or(Operator::add);
  description.algorithm = *algorithm;
  return description;
}

Result<std::optional<Scalar>> parse_init(const ScanArguments& arguments, Type type) {
  if (!arguments.init) return std::nullopt;
  const std::string& word = *arguments.init;
  const Type wanted = init_type({.type = type, .wide = arguments.wide});
  return with_type(wanted, [&]<class T>() -> Result<std::optional<Scalar>> {
    T value{};
    const NumberFault fault = parse_number(word, value);
    if (fault == NumberFault::none) return Scalar{value};
    std::string message = "--init " + describe(fault, word, wanted);
    if (fault != NumberFault::not_a_number)
      message +=
          "; the values are " + std::string(name(type)) + ", and --dtype chooses another type";
    return std::unexpected{Error{ErrorKind::bad_argument, std::move(message)}};
  });
}

Result<Type> parse_type_word(const std::string& word) {
  if (const auto type = parse_type(word)) return *type;
  return std::unexpected{unknown_word("--dtype", word, names_of(all_types))};
}

Result<Operator> parse_operator_word(const std::string& word) {
  if (const auto op = parse_operator(word)) return *op;
  return std::unexpected{unknown_word("--op", word, names_of(all_operators))};
}

Result<ScanKind> parse_kind_word(const std::string& word) {
  for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
    if (word == name(kind)) return kind;
  }
  return std::unexpected{unknown_word(
      "the kind", word, names_of(std::array{ScanKind::inclusive, ScanKind::exclusive}))};
}

Result<Algorithm> parse_algorithm_word(const std::string& word) {
  if (const auto algorithm = parse_algorithm(word)) return *algorithm;
  return std::unexpected{unknown_word("--algorithm", word, names_of(all_algorithms))};
}

Result<SelectionAlgorithm> parse_selection_algorithm_word(const std::string& word) {
  if (const auto algorithm = parse_selection_algorithm(word)) return *algorithm;
  return std::unexpected{unknown_word(
      "--algorithm", word,
      names_of(std::array{SelectionAlgorithm::automatic, SelectionAlgorithm::mask_then_scatter,
                          SelectionAlgorithm::single_pass, SelectionAlgorithm::blocked}))};
}

Result<std::optional<Type>> parse_dtype(const std::optional<std::string>& word) {
  if (!word) return std::nullopt;
  auto type = parse_type_word(*word);
  if (!type) return std::unexpected{std::move(type.error())};
  return *type;
}

Result<std::uint64_t> parse_count(const std::string& option, const std::string& word) {
  if (const auto count = read_count(word)) return *count;
  return std::unexpected{
      Error{ErrorKind::bad_argument,
            fmt::format("{} '{}' is no count below 2^64; write it like 1048576, 1e6 or 2^20",
                        option, word)}};
}

}  // namespace cumulo::app

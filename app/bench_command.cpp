// cumulo bench: how fast, beside what else a program could use.
#include <fmt/format.h>

#include "bench/scan.hpp"
#include "command.hpp"
#include "options.hpp"
#include "report.hpp"

namespace cumulo::app {
namespace {

constexpr const char* example =
    "Examples\n"
    "  cumulo bench scan --n 2^26 --types u32,f32\n"
    "times the scan of 67,108,864 numbers beside copies of the same bytes and, on the CPU, oneTBB\n"
    "and the standard library, in one run, with every result checked.\n"
    "  cumulo bench scan --device gpu --ops add,max --kinds inclusive,exclusive --json\n"
    "times all sizes from 2^10 to 2^28 on a GPU, by its own clock.\n";

struct ScanRequest {
  std::vector<std::string> sizes;
  std::vector<std::string> types;
  std::vector<std::string> ops;
  std::vector<std::string> kinds;
  std::string runs = "11";
  std::optional<double> heat;
  std::string device = "auto";
  bool json = false;
};

Result<ScanKind> parse_kind(const std::string& word) {
  const std::string known[] = {"inclusive", "exclusive"};
  if (word == known[0]) return ScanKind::inclusive;
  if (word == known[1]) return ScanKind::exclusive;
  return std::unexpected{unknown_word("--kinds", word, known)};
}

// Reads every word into `values`; no words leave them as they are.
template <class T, class Parse>
Result<void> parse_words(const std::vector<std::string>& words, std::vector<T>& values,
                         Parse&& parse) {
  if (!words.empty()) values.clear();
  for (const std::string& word : words) {
    auto value = parse(word);
    if (!value) return std::unexpected{std::move(value.error())};
    values.push_back(*value);
  }
  return {};
}

Result<bench::ScanBenchOptions> interpret(const ScanRequest& r) {
  bench::ScanBenchOptions options{.heat_seconds = r.heat};
  const Result<void> lists[] = {
      parse_words(r.sizes, options.sizes, [](const auto& w) { return parse_count("--n", w); }),
      parse_words(r.types, options.types, parse_type_word),
      parse_words(r.ops, options.ops, parse_operator_word),
      parse_words(r.kinds, options.kinds, parse_kind)};
  for (const Result<void>& list : lists) {
    if (!list) return std::unexpected{list.error()};
  }
  auto runs = parse_count("--runs", r.runs);
  if (!runs) return std::unexpected{std::move(runs.error())};
  if (*runs == 0 || *runs > 10'000) {
    return std::unexpected{Error{ErrorKind::bad_argument, "--runs takes 1 to 10000"}};
  }
  options.runs = static_cast<std::uint32_t>(*runs);
  return options;
}

int run_bench_scan(const Arguments& arguments) {
  ScanRequest r;
  CLI::App app("Times the scan beside copies and rivals, results checked.", "cumulo bench scan");
  app.add_option("--n", r.sizes,
                 "numbers of elements, apart by commas (2^10 ... 2^28; CPU 2^26, software 2^18)")
      ->delimiter(',');
  app.add_option("--types", r.types, "element types (all of the device; CPU u32,f32)")
      ->delimiter(',');
  app.add_option("--ops", r.ops, "add, mul, min, max, and, or, xor (add)")->delimiter(',');
  app.add_option("--kinds", r.kinds, "inclusive, exclusive (inclusive)")->delimiter(',');
  app.add_option("--runs", r.runs, "timed runs of each case (11)");
  app.add_option("--heat", r.heat,
                 "seconds of copies before each group of cases (0.5; on CPU and software 0)")
      ->check(CLI::Range(0.0, 60.0));
  add_device_option(app, r.device);
  app.add_flag("--json", r.json, "one JSON object on standard output");
  app.footer(example);
  if (const auto status = parse_arguments(app, arguments)) return *status;

  auto options = interpret(r);
  if (!options) return report_error(options.error(), r.json);
  auto device = open_device(r.device);
  if (!device) return report_error(device.error(), r.json);
  auto report = bench::run_scan(*device, *options);
  if (!report) return report_error(report.error(), r.json);
  const int printed = print_text(r.json ? to_json(*report) + "\n" : to_text(*report));
  return report->ok() ? printed : static_cast<int>(check_failed);
}

}  // namespace

int run_bench(const Arguments& arguments) {
  if (!arguments.empty() && arguments[0] == "scan") {
    return run_bench_scan({arguments.begin() + 1, arguments.end()});
  }
  if (arguments.empty() || arguments[0] == "--help") return run_bench_scan({"--help"});
  const std::string known[] = {"scan"};
  return report_error(unknown_word("the primitive", arguments[0], known), wants_json(arguments));
}

}  // namespace cumulo::app

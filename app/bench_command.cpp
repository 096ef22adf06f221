// cumulo bench: how fast, beside what else a program could use.
#include <limits>

#include "bench/scan.hpp"
#include "command.hpp"
#include "formats/file.hpp"
#include "options.hpp"
#include "report.hpp"

namespace cumulo::app {
namespace {

constexpr const char* example =
    "Example\n"
    "  cumulo bench scan --n 2^26 --types u32,f32\n"
    "times the scan of 67,108,864 numbers beside copies of the same bytes, oneTBB and the "
    "standard\n"
    "library, in one run, with every result checked.\n";

struct Request {
  std::string primitive;
  std::vector<std::string> sizes;
  std::vector<std::string> types;
  std::string runs = "9";
  std::string device = "auto";
  bool json = false;
};

Result<bench::ScanBenchOptions> interpret(const Request& r) {
  if (r.primitive != "scan") {
    const std::string known[] = {"scan"};
    return std::unexpected{unknown_word("the primitive", r.primitive, known)};
  }
  bench::ScanBenchOptions options;
  if (!r.sizes.empty()) options.sizes.clear();
  for (const std::string& word : r.sizes) {
    auto n = parse_count("--n", word);
    if (!n) return std::unexpected{std::move(n.error())};
    // Three arrays, of elements of 4 bytes.
    constexpr std::uint64_t bytes_each = 12;
    const std::uint64_t bytes = *n > std::numeric_limits<std::uint64_t>::max() / bytes_each
                                    ? std::numeric_limits<std::uint64_t>::max()
                                    : *n * bytes_each;
    if (auto fits = require_memory(bytes, "bench scan of " + word); !fits) {
      return std::unexpected{std::move(fits.error())};
    }
    options.sizes.push_back(*n);
  }
  if (!r.types.empty()) options.types.clear();
  for (const std::string& word : r.types) {
    auto type = parse_dtype(word);
    if (!type) return std::unexpected{std::move(type.error())};
    options.types.push_back(**type);
  }
  auto runs = parse_count("--runs", r.runs);
  if (!runs) return std::unexpected{std::move(runs.error())};
  if (*runs == 0 || *runs > 10'000) {
    return std::unexpected{Error{ErrorKind::bad_argument, "--runs takes 1 to 10000"}};
  }
  options.runs = static_cast<std::uint32_t>(*runs);
  return options;
}

}  // namespace

int run_bench(const Arguments& arguments) {
  Request r;
  CLI::App app("Times a primitive beside copies and rivals, results checked.", "cumulo bench");
  app.add_option("PRIMITIVE", r.primitive, "scan");
  app.add_option("--n", r.sizes, "numbers of elements, apart by commas (2^10 ... 2^26)")
      ->delimiter(',');
  app.add_option("--types", r.types, "u32, f32 (both)")->delimiter(',');
  app.add_option("--runs", r.runs, "runs of each case (9)");
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

}  // namespace cumulo::app

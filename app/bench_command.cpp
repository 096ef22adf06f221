// cumulo bench: how fast and how exact, beside what else a program could use.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bench/accuracy.hpp"
#include "bench/compact.hpp"
#include "bench/plot.hpp"
#include "bench/repeat.hpp"
#include "bench/scan.hpp"
#include "command.hpp"
#include "formats/file.hpp"
#include "options.hpp"
#include "picture/picture.hpp"
#include "report.hpp"

namespace cumulo::app {
namespace {

constexpr const char* overview =
    "How fast and how exact, beside what else a program could use.\n\n"
    "  cumulo bench scan       times of the scan beside copies and rivals, results checked\n"
    "  cumulo bench reduce     times of one sum beside half a copy and rivals, results checked\n"
    "  cumulo bench accuracy   errors of f32 sums beside a plain loop\n"
    "  cumulo bench compact    times of compact, partition and unique beside std::copy_if and "
    "others\n"
    "  cumulo bench repeat     whether many runs of the same input give the same bits\n"
    "  cumulo bench plot       a picture of results that bench scan or script/bench wrote\n\n"
    "Each has --help. Example\n"
    "  cumulo bench scan --n 2^26 --types u32,f32\n"
    "times the scan of 67,108,864 numbers.\n";

constexpr const char* scan_example =
    "Examples\n"
    "  cumulo bench scan --n 2^26 --types u32,f32\n"
    "times the scan of 67,108,864 numbers beside copies of the same bytes and, on the CPU, oneTBB\n"
    "and the standard library, in one run, with every result checked.\n"
    "  cumulo bench scan --device gpu --ops add,max --kinds inclusive,exclusive --json\n"
    "times all sizes from 2^10 to 2^28 on a GPU, by its own clock.\n"
    "  cumulo bench scan --n 1024 --algorithms all\n"
    "compares what the algorithms do: time, steps, additions, bytes moved.\n"
    "  cumulo bench scan --device gpu --n 2^28,268435453 --types u32,f32 --layouts all\n"
    "times them in reverse, in place, from and to odd offsets, and with the initial value as "
    "well.\n";

constexpr const char* reduce_example =
    "Example\n"
    "  cumulo bench reduce --n 2^26 --types u32,f32\n"
    "times the sum of 67,108,864 numbers. A copy moves twice the bytes that a sum reads, so that\n"
    "half its time counts as reading: 'of copy' is that over the sum's time.\n";

constexpr const char* accuracy_example =
    "Example\n"
    "  cumulo bench accuracy --n 2^24 --device cpu\n"
    "compares sums of 16,777,216 random numbers, all positive and alternating in sign, with exact "
    "ones.\n";

constexpr const char* compact_example =
    "Example\n"
    "  cumulo bench compact --n 2^24 --shares 0.01,0.5 --device cpu\n"
    "keeps 1 % and half of 16,777,216 numbers by flags and by a predicate, beside the standard\n"
    "library's ways, with every result checked. bench/compact_numpy.py times NumPy's.\n";

constexpr const char* repeat_example =
    "Example\n"
    "  cumulo bench repeat --device gpu\n"
    "scans the same input 1000 times for every float operator, u64, f16, wide sums and operators "
    "that do\n"
    "not commute, by each algorithm, while copies and other scans run beside; a run whose results\n"
    "have another digest than the first one's is a failure. Whether the CPU backend gives the "
    "same\n"
    "bits is shown as well.\n";

constexpr const char* plot_example =
    "Example\n"
    "  cumulo bench plot bench/results/h200.json -o h200.svg --type f32\n"
    "draws the times of all f32 sums and their shares of a copy's speed.\n";

struct BenchScanRequest {
  std::vector<std::string> sizes;
  std::vector<std::string> types;
  std::vector<std::string> ops;
  std::vector<std::string> kinds;
  std::vector<std::string> algorithms;
  std::vector<std::string> layouts;
  std::string runs = "11";
  std::optional<double> heat;
  bool wall_clock = false;
  std::string pages = name(bench::Pages::ordinary);
  std::string device = "auto";
  bool json = false;
};

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

// Room for so many bytes an element, for each of the sizes that were asked for.
Result<void> require_arrays(const std::vector<std::uint64_t>& sizes, std::uint64_t bytes_each) {
  for (const std::uint64_t n : sizes) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t bytes = n > most / bytes_each ? most : n * bytes_each;
    if (auto fits = require_memory(bytes, fmt::format("bench of {} elements", n)); !fits) {
      return fits;
    }
  }
  return {};
}

const std::vector<std::string> layout_names = [] {
  std::vector<std::string> names;
  for (const bench::Layout layout : bench::all_layouts) names.emplace_back(name(layout));
  return names;
}();

Result<bench::Layout> parse_layout_word(const std::string& word) {
  if (const auto layout = bench::parse_layout(word)) return *layout;
  return std::unexpected{unknown_word("--layouts", word, layout_names)};
}

Result<std::uint32_t> parse_runs(const std::string& word) {
  auto runs = parse_count("--runs", word);
  if (!runs) return std::unexpected{std::move(runs.error())};
  if (*runs == 0 || *runs > 100'000) {
    return std::unexpected{Error{ErrorKind::bad_argument, "--runs takes 1 to 100000"}};
  }
  return static_cast<std::uint32_t>(*runs);
}

Result<bench::ScanBenchOptions> interpret(const BenchScanRequest& r) {
  bench::ScanBenchOptions options{
      .with_work = !r.algorithms.empty(),
      .heat_seconds = r.heat,
      .wall_clock = r.wall_clock,
      .pages = r.pages == name(bench::Pages::huge) ? bench::Pages::huge : bench::Pages::ordinary};
  std::vector<std::string> ops = r.ops;
  if (std::erase(ops, "affine") > 0) {
    options.monoids.push_back(affine_monoid());
    if (ops.empty()) options.ops.clear();
  }
  const Result<void> lists[] = {
      parse_words(r.sizes, options.sizes, [](const auto& w) { return parse_count("--n", w); }),
      parse_words(r.types, options.types, parse_type_word),
      parse_words(ops, options.ops, parse_operator_word),
      parse_words(r.kinds, options.kinds, parse_kind_word),
      parse_words(r.algorithms, options.algorithms, parse_algorithm_word),
      parse_words(r.layouts, options.layouts, parse_layout_word)};
  for (const Result<void>& list : lists) {
    if (!list) return std::unexpected{list.error()};
  }
  std::uint64_t element = options.monoids.empty() ? 4 : sizeof(Affine);
  for (const Type type : options.types) element = std::max<std::uint64_t>(element, size_of(type));
  // Input, output and what is expected.
  if (auto fits = require_arrays(options.sizes, 3 * element); !fits) {
    return std::unexpected{std::move(fits.error())};
  }
  auto runs = parse_runs(r.runs);
  if (!runs) return std::unexpected{std::move(runs.error())};
  options.runs = *runs;
  return options;
}

// Those that do a scan of their own on the device.
std::vector<std::string> all_algorithms_of(const Device& device) {
  if (device.info().backend == Backend::cpu) return {"serial", "blocked"};
  return {"hillis-steele", "blelloch", "subgroup", "reduce-then-scan", "single-pass"};
}

// The options that scan and reduce share.
void add_bench_options(CLI::App& app, BenchScanRequest& r) {
  app.add_option("--n", r.sizes,
                 "numbers of elements, apart by commas (2^10 ... 2^28; CPU 2^26, software 2^18)")
      ->delimiter(',');
  app.add_option("--types", r.types, "element types (all of the device; CPU u32,f32)")
      ->delimiter(',');
  app.add_option(
         "--ops", r.ops,
         "add, mul, min, max, and, or, xor, add-saturated, and affine maps of two f32 (add)")
      ->delimiter(',');
  app.add_option("--runs", r.runs, "timed runs of each case (11)");
  app.add_option("--heat", r.heat,
                 "seconds of copies before each group of cases (0.5; on CPU and software 0)")
      ->check(CLI::Range(0.0, 60.0));
  app.add_flag("--wall-clock", r.wall_clock, "the host's clock even where the device has one");
  app.add_option("--pages", r.pages, "on the CPU: ordinary, or huge ones for the arrays (ordinary)")
      ->check(CLI::IsMember({name(bench::Pages::ordinary), name(bench::Pages::huge)}));
  add_device_option(app, r.device);
  app.add_flag("--json", r.json, "one JSON object on standard output");
}

int print_report(const Result<bench::Report>& report, bool json) {
  if (!report) return report_error(report.error(), json);
  const int printed = print_text(json ? to_json(*report) + "\n" : to_text(*report));
  return report->ok() ? printed : static_cast<int>(check_failed);
}

int run_bench_reduce(const Arguments& arguments) {
  BenchScanRequest r;
  CLI::App app("Times the reduction beside copies and rivals, results checked.",
               "cumulo bench reduce");
  add_bench_options(app, r);
  app.footer(reduce_example);
  if (const auto status = parse_arguments(app, arguments)) return *status;

  auto options = interpret(r);
  if (!options) return report_error(options.error(), r.json);
  auto device = open_device(r.device);
  if (!device) return report_error(device.error(), r.json);
  return print_report(bench::run_reduce(*device, *options), r.json);
}

int run_bench_scan(const Arguments& arguments) {
  BenchScanRequest r;
  CLI::App app("Times the scan beside copies and rivals, results checked.", "cumulo bench scan");
  add_bench_options(app, r);
  app.add_option("--kinds", r.kinds, "inclusive, exclusive (inclusive)")->delimiter(',');
  app.add_option("--algorithms", r.algorithms,
                 "all, or names: beside the times steps, additions and bytes moved")
      ->delimiter(',');
  app.add_option("--layouts", r.layouts,
                 "all, or plain, reverse, in-place, odd-offsets, include-initial (plain)")
      ->delimiter(',');
  app.footer(scan_example);
  if (const auto status = parse_arguments(app, arguments)) return *status;

  const bool all = r.algorithms == std::vector<std::string>{"all"};
  if (all) r.algorithms.clear();
  if (r.layouts == std::vector<std::string>{"all"}) {
    r.layouts.assign(std::begin(layout_names), std::end(layout_names));
  }
  auto options = interpret(r);
  if (!options) return report_error(options.error(), r.json);
  auto device = open_device(r.device);
  if (!device) return report_error(device.error(), r.json);
  if (all) {
    r.algorithms = all_algorithms_of(*device);
    options = interpret(r);
  }
  return print_report(bench::run_scan(*device, *options), r.json);
}

int run_bench_accuracy(const Arguments& arguments) {
  std::vector<std::string> words{"2^24"};
  std::string device_word = "auto";
  bool json = false;
  CLI::App app("Errors of f32 sums, beside a plain loop in f32.", "cumulo bench accuracy");
  app.add_option("--n", words, "numbers of elements, apart by commas (2^24)")->delimiter(',');
  add_device_option(app, device_word);
  app.add_flag("--json", json, "one JSON object on standard output");
  app.footer(accuracy_example);
  if (const auto status = parse_arguments(app, arguments)) return *status;

  std::vector<std::uint64_t> sizes;
  auto read = parse_words(words, sizes, [](const auto& w) { return parse_count("--n", w); });
  if (!read) return report_error(read.error(), json);
  constexpr std::uint64_t input_and_output = 2 * sizeof(float);
  if (auto fits = require_arrays(sizes, input_and_output); !fits) {
    return report_error(fits.error(), json);
  }
  auto device = open_device(device_word);
  if (!device) return report_error(device.error(), json);
  auto rows = bench::measure_accuracy(*device, sizes);
  if (!rows) return report_error(rows.error(), json);
  return print_text(json ? to_json(*rows, device->info()) + "\n" : to_text(*rows, device->info()));
}

int run_bench_compact(const Arguments& arguments) {
  bench::CompactBenchOptions options;
  std::vector<std::string> words;
  std::string runs_word = "11";
  std::string device_word = "auto";
  bool json = false;
  CLI::App app("Times of compact, partition and unique, results checked.", "cumulo bench compact");
  app.add_option("--n", words, "numbers of elements, apart by commas (2^16,2^20,2^24)")
      ->delimiter(',');
  app.add_option("--shares", options.shares, "shares that are kept, from 0 to 1 (0.01,0.5,0.99)")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--runs", runs_word, "timed runs of each case (11)");
  add_device_option(app, device_word);
  app.add_flag("--json", json, "one JSON object on standard output");
  app.footer(compact_example);
  if (const auto status = parse_arguments(app, arguments)) return *status;

  auto read =
      parse_words(words, options.sizes, [](const auto& w) { return parse_count("--n", w); });
  if (!read) return report_error(read.error(), json);
  auto runs = parse_count("--runs", runs_word);
  if (!runs) return report_error(runs.error(), json);
  if (*runs == 0 || *runs > 10'000) {
    return report_error({ErrorKind::bad_argument, "--runs takes 1 to 10000"}, json);
  }
  options.runs = static_cast<std::uint32_t>(*runs);
  // Numbers, flags, and two arrays of results.
  if (auto fits = require_arrays(options.sizes, 13); !fits) {
    return report_error(fits.error(), json);
  }
  auto device = open_device(device_word);
  if (!device) return report_error(device.error(), json);
  auto rows = bench::measure_compact(*device, options);
  if (!rows) return report_error(rows.error(), json);
  const int printed =
      print_text(json ? to_json(*rows, device->info()) + "\n" : to_text(*rows, device->info()));
  const bool ok = std::ranges::none_of(*rows, [](const auto& row) { return !row.failure.empty(); });
  return ok ? printed : static_cast<int>(check_failed);
}

struct RepeatRequest {
  std::vector<std::string> sizes;
  std::string runs = "1000";
  std::string device = "auto";
  bool json = false;
};

Result<bench::RepeatReport> repeat(const RepeatRequest& r) {
  bench::RepeatOptions options;
  auto read =
      parse_words(r.sizes, options.sizes, [](const auto& w) { return parse_count("--n", w); });
  if (!read) return std::unexpected{std::move(read.error())};
  auto runs = parse_runs(r.runs);
  if (!runs) return std::unexpected{std::move(runs.error())};
  options.runs = *runs;
  constexpr std::uint64_t most_bytes_each = 3 * sizeof(Matrix2x2);
  if (auto fits = require_arrays(options.sizes, most_bytes_each); !fits) {
    return std::unexpected{std::move(fits.error())};
  }
  auto device = open_device(r.device);
  if (!device) return std::unexpected{std::move(device.error())};
  auto other = open_device(r.device);
  if (!other) return std::unexpected{std::move(other.error())};
  return bench::measure_repeats(*device, *other, options);
}

int run_bench_repeat(const Arguments& arguments) {
  RepeatRequest r;
  CLI::App app("Whether many runs of the same input give the same bits, whatever else runs.",
               "cumulo bench repeat");
  app.add_option("--n", r.sizes, "numbers of elements, apart by commas (two that suit the device)")
      ->delimiter(',');
  app.add_option("--runs", r.runs, "runs of each case (1000)");
  add_device_option(app, r.device);
  app.add_flag("--json", r.json, "one JSON object on standard output");
  app.footer(repeat_example);
  if (const auto status = parse_arguments(app, arguments)) return *status;
  auto report = repeat(r);
  if (!report) return report_error(report.error(), r.json);
  const int printed = print_text(r.json ? to_json(*report) + "\n" : to_text(*report));
  return report->ok() ? printed : static_cast<int>(check_failed);
}

struct PlotRequest {
  std::string results;
  std::string output;
  std::string type = "u32";
  std::string op = "add";
  std::string kind = "inclusive";
  bool force = false;
  bool json = false;
};

Result<void> plot(const PlotRequest& r) {
  auto type = parse_type_word(r.type);
  if (!type) return std::unexpected{std::move(type.error())};
  auto op = parse_operator_word(r.op);
  if (!op) return std::unexpected{std::move(op.error())};
  auto kind = parse_kind_word(r.kind);
  if (!kind) return std::unexpected{std::move(kind.error())};
  if (auto known = picture::check_picture_path(r.output); !known) return known;
  if (auto free = check_writable(r.output, r.results, r.force); !free) return free;
  auto text = read_whole(r.results, false);
  if (!text) return std::unexpected{std::move(text.error())};
  auto scene = bench::plot_scene(*text, {*type, *op, *kind});
  if (!scene) {
    scene.error().message = source_name(r.results) + ": " + scene.error().message;
    return std::unexpected{std::move(scene.error())};
  }
  return picture::write_picture(*scene, r.output);
}

int run_bench_plot(const Arguments& arguments) {
  PlotRequest r;
  CLI::App app("A picture of benchmark results: times and shares of a copy's speed.",
               "cumulo bench plot");
  app.add_option("RESULTS", r.results, "the JSON file of bench scan or script/bench")->required();
  app.add_option("-o,--output", r.output, "the picture: .png, .svg or .pdf")->required();
  app.add_option("--type", r.type, "the element type (u32)");
  app.add_option("--op", r.op, "the operator (add)");
  app.add_option("--kind", r.kind, "inclusive or exclusive (inclusive)");
  app.add_flag("--force", r.force, "overwrite a file that is there");
  app.add_flag("--json", r.json, "one JSON object on standard output");
  app.footer(plot_example);
  if (const auto status = parse_arguments(app, arguments)) return *status;
  if (auto drawn = plot(r); !drawn) return report_error(drawn.error(), r.json);
  if (!r.json) return done;
  Json object = json_object("bench plot");
  object["picture"] = r.output;
  return print_json(object);
}

}  // namespace

int run_bench(const Arguments& arguments) {
  if (arguments.empty() || arguments[0] == "--help") return print_text(overview);
  const Arguments rest(arguments.begin() + 1, arguments.end());
  if (arguments[0] == "scan") return run_bench_scan(rest);
  if (arguments[0] == "reduce") return run_bench_reduce(rest);
  if (arguments[0] == "accuracy") return run_bench_accuracy(rest);
  if (arguments[0] == "compact") return run_bench_compact(rest);
  if (arguments[0] == "repeat") return run_bench_repeat(rest);
  if (arguments[0] == "plot") return run_bench_plot(rest);
  const std::string known[] = {"scan", "reduce", "accuracy", "compact", "repeat", "plot"};
  return report_error(unknown_word("what to measure", arguments[0], known), wants_json(arguments));
}

}  // namespace cumulo::app

// cumulo demo: the two lessons, as numbers and as pictures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <span>

#include "command.hpp"
#include "demo_pages.hpp"
#include "options.hpp"
#include "report.hpp"

namespace cumulo::app {
namespace {

constexpr std::size_t shown_totals = 12;

constexpr const char* example =
    "Example\n"
    "  cumulo demo --out pictures\n"
    "prints the running totals of 256 days of sales (510 at the end) and a compaction of 8 items,\n"
    "compares every number with a plain loop, and writes pictures/sales.png and\n"
    "pictures/compaction.png.\n";

struct DemoRequest {
  std::string out = "cumulo-demo";
  std::string format = "png";
  std::string device = "auto";
  ReportArguments report;
  std::optional<std::string> break_word;
  std::optional<std::uint64_t> broken = std::nullopt;
};

struct Demo {
  Device device;                         // outlives the buffers of the pages
  std::vector<std::string> passed_over;  // why no GPU does it, under `auto`
  SalesPage sales;
  CompactionPage compaction;
  std::string sales_picture;
  std::string compaction_picture;
};

Result<void> prepare(DemoRequest& r) {
  auto broken = parse_break(r.break_word);
  if (!broken) return std::unexpected{std::move(broken.error())};
  r.broken = *broken;
  if (r.format != "png" && r.format != "svg" && r.format != "pdf") {
    return std::unexpected{
        Error{ErrorKind::bad_argument,
              "--format '" + r.format + "' is unknown; known are png, svg, pdf"}};
  }
  std::error_code problem;
  std::filesystem::create_directories(r.out, problem);
  if (problem || !std::filesystem::is_directory(r.out)) {
    return std::unexpected{Error{ErrorKind::file, "cannot make the folder '" + r.out + "'" +
                                                      (problem ? ": " + problem.message() : "")}};
  }
  return {};
}

Result<Demo> make_demo(const DemoRequest& r) {
  auto device = open_device(r.device);
  if (!device) return std::unexpected{std::move(device.error())};
  std::vector<std::string> passed_over;
  if (r.device == "auto" && device->info().backend == Backend::cpu) {
    // Asking for a GPU outright tells why there is none.
    if (const auto gpu = Device::open("gpu"); !gpu) passed_over = gpu.error().reasons;
  }
  auto sales = make_sales_page(*device, r.broken);
  if (!sales) return std::unexpected{std::move(sales.error())};
  auto compaction = make_compaction_page(*device, r.broken);
  if (!compaction) return std::unexpected{std::move(compaction.error())};
  const auto path = [&](const char* stem) {
    return (std::filesystem::path(r.out) / (std::string(stem) + "." + r.format)).string();
  };
  const std::string sales_picture = path("sales");
  const std::string compaction_picture = path("compaction");
  if (auto drawn = draw_page(*device, *sales, sales_picture); !drawn) {
    return std::unexpected{std::move(drawn.error())};
  }
  if (auto drawn = draw_page(*device, *compaction, compaction_picture); !drawn) {
    return std::unexpected{std::move(drawn.error())};
  }
  return Demo{std::move(*device),     std::move(passed_over), std::move(*sales),
              std::move(*compaction), sales_picture,          compaction_picture};
}

std::string verdict(const std::optional<picture::Difference>& difference, std::string good) {
  if (!difference) return good;
  return fmt::format("WRONG: {} at index {} is {}, and a plain loop gives {}", difference->what,
                     difference->index, difference->found, difference->expected);
}

std::string line(std::string_view label, const std::string& text) {
  return fmt::format("  {:<11}{}\n", label, text);
}

std::string row(std::string_view label, std::span<const std::uint32_t> values) {
  std::string text;
  for (const std::uint32_t value : values) text += fmt::format("{:>4}", value);
  return fmt::format("  {:<11}{}\n", label, text);
}

std::string sales_text(const Demo& demo) {
  const SalesPage& page = demo.sales;
  const auto& totals = page.totals.values;
  std::string text = fmt::format("Running totals of {} days of sales\n", totals.size());
  text += row("sales", std::span{page.sales.values}.first(shown_totals));
  text += row("totals", std::span{totals}.first(shown_totals));
  text += line("in all", fmt::format("{}", totals.back()));
  if (page.timing) text += line("time", describe_time(*page.timing) + ", " + page.algorithm);
  text += line("verdict", verdict(page.difference,
                                  fmt::format("all {} totals match a plain loop", totals.size())));
  text += line("picture", demo.sales_picture);
  text += fmt::format("\n  {:<15}{:>7}{:>11}{:>10}{:>16}\n", "", "steps", "additions", "barriers",
                      "subgroup calls");
  for (const Contender& contender : page.contenders) {
    text += fmt::format("  {:<15}{:>7}{:>11}{:>10}{:>16}\n", contender.name, contender.counts.steps,
                        contender.counts.additions, contender.counts.barriers,
                        contender.counts.subgroup_calls);
  }
  text += fmt::format("  One subgroup call scans {} values here.\n", page.subgroup_width);
  return text;
}

std::string compaction_text(const Demo& demo) {
  const CompactionPage& page = demo.compaction;
  return "What a scan is for: where does my output go?\n" + row("input", page.values.values) +
         row("inclusive", page.inclusive.values) + row("exclusive", page.exclusive.values) +
         row("keep", page.keep.values) + row("slot", page.slots.values) +
         row("packed", page.packed) + row("allocated", page.offsets) +
         line("verdict", verdict(page.difference,
                                 "all three scans match a plain loop; compact and allocate "
                                 "agree with them")) +
         line("picture", demo.compaction_picture) +
         "\n  Compaction: a kept item's scanned flag is its slot. Allocation: scanned counts are "
         "the\n"
         "  write positions and the total. Radix sort and summed-area tables are built from "
         "scans.\n"
         "  Unlike an atomic append, a scan keeps the input's order, the same in every run.\n";
}

Json check_json(const std::optional<picture::Difference>& difference) {
  Json first = nullptr;
  if (difference) {
    first = {{"what", difference->what},
             {"index", difference->index},
             {"expected", difference->expected},
             {"found", difference->found}};
  }
  return {{"ok", !difference}, {"first_difference", std::move(first)}};
}

Json demo_json(const Demo& demo) {
  const SalesPage& sales = demo.sales;
  const auto& totals = sales.totals.values;
  Json counts;
  for (const Contender& contender : sales.contenders) {
    counts[contender.name] = json_counts(contender.counts);
  }
  const CompactionPage& compaction = demo.compaction;
  Json object = json_object("demo");
  object["device"] = json_device(demo.device.info());
  object["reasons"] = demo.passed_over;
  object["pages"]["sales"] = {{"n", totals.size()},
                              {"first", std::span{totals}.first(shown_totals)},
                              {"total", totals.back()},
                              {"algorithm", sales.algorithm},
                              {"time", json_time(sales.timing)},
                              {"counts", std::move(counts)},
                              {"subgroup_width", sales.subgroup_width},
                              {"check", check_json(sales.difference)},
                              {"picture", demo.sales_picture}};
  object["pages"]["compaction"] = {
      {"values", compaction.values.values},       {"inclusive", compaction.inclusive.values},
      {"exclusive", compaction.exclusive.values}, {"keep", compaction.keep.values},
      {"slots", compaction.slots.values},         {"packed", compaction.packed},
      {"allocated", compaction.offsets},          {"check", check_json(compaction.difference)},
      {"picture", demo.compaction_picture}};
  return object;
}

std::string no_gpu_text(const std::vector<std::string>& reasons) {
  return fmt::format("No hardware GPU does this: {}. The CPU backend does the work.\n\n",
                     fmt::join(reasons, "; "));
}

}  // namespace

int run_demo(const Arguments& arguments) {
  DemoRequest r;
  CLI::App app("Two lessons on prefix sums: numbers, verdicts, times, pictures.", "cumulo demo");
  app.add_option("--out", r.out, "the folder for the pictures (cumulo-demo)");
  app.add_option("--format", r.format, "of the pictures: png, svg or pdf (png)");
  add_device_option(app, r.device);
  add_report_options(app, r.report);
  add_break_option(app, r.break_word);
  app.footer(example);
  if (const auto status = parse_arguments(app, arguments)) return *status;

  if (auto ready = prepare(r); !ready) return report_error(ready.error(), r.report.json);
  auto demo = make_demo(r);
  if (!demo) return report_error(demo.error(), r.report.json);
  int status = done;
  if (r.report.json) {
    status = print_json(demo_json(*demo));
  } else {
    std::string text;
    if (!demo->passed_over.empty()) text += no_gpu_text(demo->passed_over);
    text += fmt::format("Device: {}\n\n", describe_device(demo->device.info()));
    status = print_text(text + sales_text(*demo) + "\n" + compaction_text(*demo));
  }
  const bool wrong = demo->sales.difference || demo->compaction.difference;
  return status == done && wrong ? check_failed : status;
}

}  // namespace cumulo::app

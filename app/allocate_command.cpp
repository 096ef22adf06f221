// cumulo allocate: counts in, the offsets of their places out.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "anywhere.hpp"
#include "command.hpp"
#include "counts.hpp"
#include "cumulo/allocate.hpp"
#include "picture/scenes.hpp"

namespace cumulo::app {
namespace {

constexpr const char* example =
    "Example\n"
    "  printf '3 0 4 1' | cumulo allocate -\n"
    "prints 0 3 3 7 8, a value a line: item i gets the places from its value to the next one.\n"
    "  cumulo allocate counts.npy --capacity 1e6 -o offsets.npy --json\n"
    "says how many places are asked for, and how many items fit a million of them.\n"
    "\n"
    "There is one offset more than counts; the last one is the total. Offsets are u32 and stop at\n"
    "2^32 - 1 where the total is above it; a larger capacity counts as 2^32 - 1, as no item past\n"
    "it has a place. With --wide they are u64, and so is the capacity.\n"
    "JSON adds offsets (also as values), total (what is asked for), capacity, overflow (the total\n"
    "is above the capacity, or above 2^32 - 1 without --wide), fitting (how many items, from the\n"
    "first, end within the capacity) and used (the places that those take).\n"
    "--check compares all of them with a sequential computation in 64 bits.\n";

struct AllocateRequest : Request {
  bool wide = false;
  std::optional<std::string> capacity_word;
  std::string algorithm_word = "auto";

  // What the words mean.
  std::optional<std::uint64_t> capacity = std::nullopt;
  Algorithm algorithm = Algorithm::automatic;
};

struct Outcome {
  Values offsets;
  AllocationRun run;
  DeviceInfo device;
  std::optional<Difference> difference = std::nullopt;
};

Result<void> interpret(AllocateRequest& r) {
  if (auto ok = interpret_common(r, "allocate"); !ok) return ok;
  if (r.capacity_word) {
    auto capacity = parse_count("--capacity", *r.capacity_word);
    if (!capacity) return std::unexpected{std::move(capacity.error())};
    r.capacity = *capacity;
  }
  auto algorithm = parse_algorithm_word(r.algorithm_word);
  if (!algorithm) return std::unexpected{std::move(algorithm.error())};
  r.algorithm = *algorithm;
  return {};
}

template <class Offset>
Result<Outcome> allocate_on(Device& device, const AllocateRequest& r,
                            const std::vector<std::uint32_t>& counts) {
  Outcome outcome;
  auto& offsets = outcome.offsets.emplace<std::vector<Offset>>(counts.size() + 1);
  auto run = allocate_bytes(
      device,
      {.n = counts.size(), .wide = r.wide, .capacity = r.capacity, .algorithm = r.algorithm},
      counts, std::as_writable_bytes(std::span{offsets}), {.timed_runs = r.time ? timed_runs : 0});
  if (!run) return std::unexpected{std::move(run.error())};
  outcome.run = std::move(*run);
  outcome.device = device.info();
  return outcome;
}

// The first of the offsets, then of the numbers, that a sum in 64 bits does not confirm.
template <class Offset>
std::optional<Difference> first_difference(const AllocateRequest& r,
                                           const std::vector<std::uint32_t>& counts,
                                           const std::vector<Offset>& offsets,
                                           const AllocationReport& found) {
  constexpr std::uint64_t most = std::numeric_limits<Offset>::max();
  const std::uint64_t limit = std::min(r.capacity.value_or(most), most);
  AllocationReport expected;
  bool fits = true;
  for (std::size_t i = 0; i <= counts.size(); ++i) {
    const auto offset = static_cast<Offset>(std::min(expected.total, most));
    if (offsets[i] != offset) {
      return Difference{fmt::format("index {}", i), i, offset, offsets[i]};
    }
    fits = fits && expected.total <= limit;
    if (fits) {
      expected.fitting = i;
      expected.used = expected.total;
    }
    if (i < counts.size()) expected.total += counts[i];
  }
  const std::uint64_t end = offsets.size();
  if (found.total != expected.total) {
    return Difference{"the total", end, expected.total, found.total};
  }
  if (found.fitting != expected.fitting) {
    return Difference{"the number of items that fit", end, expected.fitting, found.fitting};
  }
  if (found.used != expected.used) {
    return Difference{"what those take", end, expected.used, found.used};
  }
  return std::nullopt;
}

Result<Outcome> compute(const AllocateRequest& r, std::vector<std::uint32_t>& counts) {
  auto read = read_counts(r);
  if (!read) return std::unexpected{std::move(read.error())};
  counts = std::move(*read);
  if (auto fits = require_memory((counts.size() + 1) * (r.wide ? 8 : 4), "the offsets"); !fits) {
    return std::unexpected{std::move(fits.error())};
  }
  auto outcome = done_anywhere(r.device, r.report.quiet, [&](Device& device) {
    return r.wide ? allocate_on<std::uint64_t>(device, r, counts)
                  : allocate_on<std::uint32_t>(device, r, counts);
  });
  if (!outcome) return outcome;
  std::visit(
      [&]<class T>(std::vector<T>& offsets) {
        if constexpr (std::is_unsigned_v<T>) {
          if (r.broken && *r.broken < offsets.size()) ++offsets[*r.broken];
          if (r.check) {
            outcome->difference = first_difference(r, counts, offsets, outcome->run.report);
          }
        }
      },
      outcome->offsets);
  return outcome;
}

Json json_report(const AllocateRequest& r, std::uint64_t n, const Outcome& outcome) {
  const AllocationReport& report = outcome.run.report;
  Json object = json_object("allocate");
  object["n"] = n;
  object["type"] = name(type_of_values(outcome.offsets));
  object["algorithm"] = outcome.run.algorithm;
  object["device"] = json_device(outcome.device);
  object["total"] = json_value(report.total);
  object["capacity"] = nullptr;
  if (r.capacity) object["capacity"] = json_value(*r.capacity);
  object["overflow"] = report.flags != 0;
  object["fitting"] = report.fitting;
  object["used"] = json_value(report.used);
  object["check"] = json_check(r.check, outcome.difference);
  object["time"] = json_time(outcome.run.timing);
  object["output"] = nullptr;
  if (r.output && !outcome.difference) object["output"] = *r.output;
  object["picture"] = nullptr;
  if (r.picture) object["picture"] = *r.picture;
  if (Json values = json_values(r, outcome.offsets); !values.is_null()) {
    object["offsets"] = values;
    object["values"] = std::move(values);
  }
  return object;
}

Result<void> draw(const AllocateRequest& r, const std::vector<std::uint32_t>& counts,
                  const Outcome& outcome) {
  picture::AllocationPicture data{.title = "allocate: where does each item start?",
                                  .counts = counts,
                                  .capacity = r.capacity,
                                  .checked = r.check,
                                  .device = describe_device(outcome.device)};
  std::visit(
      [&]<class T>(const std::vector<T>& offsets) {
        if constexpr (std::is_unsigned_v<T>) data.offsets.assign(offsets.begin(), offsets.end());
      },
      outcome.offsets);
  return write_picture(r, picture::allocation_scene(data));
}

void say_summary(const AllocateRequest& r, std::uint64_t n, const Outcome& outcome) {
  if (outcome.difference) return say_wrong(r, *outcome.difference);
  const AllocationReport& report = outcome.run.report;
  std::string line = fmt::format("cumulo: {} counts, {} on {}: total {}", n, outcome.run.algorithm,
                                 describe_device(outcome.device), report.total);
  if (r.capacity) {
    line += fmt::format(", of {} places", *r.capacity);
    line += report.flags != 0
                ? fmt::format(": {} items fit and take {}", report.fitting, report.used)
                : ": all items fit";
  }
  if (outcome.run.timing) line += ", " + describe_time(*outcome.run.timing);
  if (r.check) line += "; every element checked";
  say(line);
  if (report.overflowed()) {
    say("cumulo: the total is above 2^32 - 1, where offsets of 32 bits stop; --wide has 64 bits");
  }
}

}  // namespace

int run_allocate(const Arguments& arguments) {
  AllocateRequest r;
  CLI::App app("Where each item's places begin, of which it wants so many as its count.",
               "cumulo allocate");
  add_file_options(app, r);
  app.add_option("--capacity", r.capacity_word, "places that there are: how many items fit?");
  app.add_flag("--wide", r.wide, "offsets of 64 bits");
  app.add_option("--algorithm", r.algorithm_word,
                 "auto, serial, blocked, reduce-then-scan or single-pass");
  add_common_options(app, r, "counts, offsets and places");
  app.footer(example);
  if (const auto status = parse_arguments(app, arguments)) return *status;

  if (auto ok = interpret(r); !ok) return report_error(ok.error(), r.report.json);
  std::vector<std::uint32_t> counts;
  auto outcome = compute(r, counts);
  if (outcome && r.picture) {
    if (auto drawn = draw(r, counts, *outcome); !drawn) outcome = std::unexpected{drawn.error()};
  }
  if (!outcome) return report_error(outcome.error(), r.report.json);
  return deliver(
      r, outcome->difference.has_value(),
      [&] { return write_values(r, {.values = outcome->offsets}); },
      [&] { return json_report(r, counts.size(), *outcome); },
      [&] { say_summary(r, counts.size(), *outcome); });
}

}  // namespace cumulo::app

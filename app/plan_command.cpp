// cumulo plan: what a device would be told to do. No device is looked at.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "command.hpp"
#include "cumulo/allocate.hpp"
#include "cumulo/expand.hpp"
#include "cumulo/plan.hpp"
#include "cumulo/predicate_language.hpp"
#include "cumulo/selection.hpp"
#include "operator_file.hpp"
#include "options.hpp"
#include "report.hpp"
#include "traits_file.hpp"

namespace cumulo::app {
namespace {

constexpr const char* example =
    "Example\n"
    "  cumulo plan scan --n 1e6 --exclusive\n"
    "prints the buffers, kernels and steps of a scan of a million u32 on a device that has no "
    "more\n"
    "than every WebGPU device.\n"
    "  cumulo plan compact --n 1e6 --dtype f32 --where 'x > 0.5' --indices\n"
    "prints those of what finds the indices of all numbers above a half.\n"
    "  cumulo plan expand --n 1e6 --capacity 1e7\n"
    "prints those of an expansion of a million items to at most ten million u32.\n"
    "  cumulo devices --json > devices.json      (there)\n"
    "  cumulo plan scan --n 2^28 --traits devices.json --device 0 --json      (here)\n"
    "prints the plan for a device of another machine, as JSON. FILE may also be one traits "
    "object.\n"
    "\n"
    "JSON has the plan as plan: buffers, kernels, steps, and notes that say why these.\n";

enum Primitive : unsigned {
  scan = 1,
  reduce = 2,
  allocate = 4,
  expand = 8,
  compact = 16,
  partition = 32,
  unique = 64,
  runs = 128,
};
constexpr unsigned selections = compact | partition | unique | runs;

struct Name {
  const char* name;
  Primitive primitive;
};
constexpr std::array primitives{Name{"scan", scan},         Name{"reduce", reduce},
                                Name{"compact", compact},   Name{"partition", partition},
                                Name{"unique", unique},     Name{"runs", runs},
                                Name{"allocate", allocate}, Name{"expand", expand}};

// Which primitives an option is for; those that are not here are for all.
struct Use {
  const char* option;
  unsigned primitives;
};
constexpr std::array uses{Use{"--exclusive", scan},
                          Use{"--reverse", scan},
                          Use{"--init", scan},
                          Use{"--include-initial", scan},
                          Use{"--op", scan | reduce},
                          Use{"--wide", scan | reduce | allocate},
                          Use{"--algorithm", ~unsigned{reduce}},
                          Use{"--dtype", ~unsigned{allocate}},
                          Use{"--flags", compact | partition},
                          Use{"--where", compact | partition},
                          Use{"--second", partition},
                          Use{"--indices", compact | partition | unique | expand},
                          Use{"--capacity", compact | unique | runs | allocate | expand}};

struct PlanRequest {
  std::string primitive_word;
  std::string n_word = "1e6";
  std::string type_word = "u32";
  std::string traits_file;
  std::optional<std::string> device;
  ScanArguments scan;
  std::optional<std::string> flags;
  std::optional<std::string> where;
  std::optional<std::string> second;
  bool indices = false;
  std::optional<std::string> capacity_word;
  bool counted = false;
  bool json = false;
  bool wgsl = false;

  // What the words mean.
  Primitive primitive = Primitive::scan;
  std::uint64_t n = 0;
  Type type = Type::u32;
  std::optional<std::uint64_t> capacity = std::nullopt;
  Traits traits = {};
};

std::unexpected<Error> refused(std::string what) {
  return std::unexpected{Error{ErrorKind::bad_argument, std::move(what)}};
}

Result<void> read_traits(PlanRequest& r) {
  if (r.traits_file.empty()) {
    if (!r.device) return {};
    return refused(
        "plan looks at no device: --device chooses among those of --traits FILE, which 'cumulo "
        "devices --json > FILE' writes");
  }
  auto traits = read_traits_file(r.traits_file, r.device);
  if (!traits) return std::unexpected{std::move(traits.error())};
  r.traits = *traits;
  return {};
}

// Of the CPU backend's algorithms there are no plans.
Result<void> check_algorithm(const PlanRequest& r) {
  const std::string& word = r.scan.algorithm;
  if (word != name(Algorithm::serial) && word != name(Algorithm::blocked)) return {};
  const char* const planned =
      r.primitive == scan ? "auto, reduce-then-scan, single-pass, hillis-steele, blelloch, subgroup"
      : (r.primitive & selections) != 0 ? "auto, mask-then-scatter, single-pass"
                                        : "auto, reduce-then-scan, single-pass";
  return refused(fmt::format(
      "--algorithm {} is the CPU backend's, which runs no plans; plans of {} are made for {}", word,
      r.primitive_word, planned));
}

Result<void> interpret(const CLI::App& app, PlanRequest& r) {
  if (r.primitive_word.empty()) return refused("plan needs a primitive: cumulo plan scan");
  const auto named = std::ranges::find(primitives, r.primitive_word, &Name::name);
  if (named == primitives.end()) {
    const std::vector<std::string> known = [] {
      std::vector<std::string> names;
      for (const Name& entry : primitives) names.emplace_back(entry.name);
      return names;
    }();
    return std::unexpected{unknown_word("the primitive", r.primitive_word, known)};
  }
  r.primitive = named->primitive;
  for (const auto& [option, its_primitives] : uses) {
    if ((its_primitives & r.primitive) == 0 && app.count(option) > 0) {
      return refused(fmt::format("plan {} takes no {}", r.primitive_word, option));
    }
  }
  auto n = parse_count("--n", r.n_word);
  if (!n) return std::unexpected{std::move(n.error())};
  r.n = *n;
  auto type = parse_type_word(r.type_word);
  if (!type) return std::unexpected{std::move(type.error())};
  r.type = *type;
  if (auto ok = check_algorithm(r); !ok) return ok;
  if (r.capacity_word) {
    auto capacity = parse_count("--capacity", *r.capacity_word);
    if (!capacity) return std::unexpected{std::move(capacity.error())};
    r.capacity = *capacity;
  }
  return read_traits(r);
}

Result<Plan> plan_of_scan(const PlanRequest& r) {
  auto description = parse_scan(r.scan);
  if (!description) return std::unexpected{std::move(description.error())};
  ScanDescription& d = *description;
  d.n = r.n;
  d.type = r.type;
  if (d.monoid && r.scan.init) {
    auto element = parse_element(d.monoid->fields, *r.scan.init, "--init");
    if (!element) return std::unexpected{std::move(element.error())};
    d.monoid_init = std::move(*element);
  } else {
    auto init = parse_init(r.scan, r.type);
    if (!init) return std::unexpected{std::move(init.error())};
    d.init = *init;
  }
  if (r.primitive == scan) return plan_scan(d, r.traits, {.counted = r.counted});
  return plan_reduce(
      {.n = d.n, .type = d.type, .op = d.op, .monoid = std::move(d.monoid), .wide = d.wide},
      r.traits, {.counted = r.counted});
}

Result<std::optional<Predicate>> predicate_of(const char* option,
                                              const std::optional<std::string>& text, Type type) {
  if (!text) return std::nullopt;
  auto predicate = parse_predicate(*text, type);
  if (predicate) return std::move(*predicate);
  predicate.error().message = fmt::format("{}: {}", option, predicate.error().message);
  return std::unexpected{std::move(predicate.error())};
}

Result<FlagType> parse_flags(const std::string& word) {
  std::vector<std::string> known;
  for (const FlagType type : {FlagType::u8, FlagType::u32, FlagType::bits}) {
    if (word == name(type)) return type;
    known.emplace_back(name(type));
  }
  return std::unexpected{unknown_word("--flags", word, known)};
}

Result<Plan> plan_of_selection(const PlanRequest& r) {
  if (r.flags && r.where) return refused("--flags and --where both say what is kept: give one");
  if (r.second && !r.where) return refused("--second goes with --where");
  SelectionDescription d{
      .n = r.n,
      .heads = r.primitive == unique || r.primitive == runs,
      .indices = r.indices || r.primitive == runs,
      .lengths = r.primitive == runs,
      .capacity = r.capacity.value_or(std::numeric_limits<std::uint64_t>::max())};
  if (!d.heads && !r.where) {
    auto flags = parse_flags(r.flags.value_or("u8"));
    if (!flags) return std::unexpected{std::move(flags.error())};
    d.flags = *flags;
  }
  auto where = predicate_of("--where", r.where, r.type);
  if (!where) return std::unexpected{std::move(where.error())};
  d.predicate = std::move(*where);
  auto second = predicate_of("--second", r.second, r.type);
  if (!second) return std::unexpected{std::move(second.error())};
  d.second = std::move(*second);
  if (r.primitive == partition) d.rest = d.second ? Rest::three_way : Rest::follows;
  // With flags, indices need no values.
  if (!(d.flags && r.indices)) {
    d.arrays = {{static_cast<std::uint32_t>(size_of(r.type)), !r.indices}};
  }
  const auto algorithm = parse_selection_algorithm_word(r.scan.algorithm);
  if (!algorithm) return std::unexpected{algorithm.error()};
  d.algorithm = *algorithm;
  return plan_selection(d, r.traits, {.counted = r.counted});
}

// allocate and expand.
Result<Plan> plan_of_counts(const PlanRequest& r) {
  const auto algorithm = parse_algorithm_word(r.scan.algorithm);
  if (!algorithm) return std::unexpected{algorithm.error()};
  if (r.primitive == allocate) {
    return plan_allocate(
        {.n = r.n, .wide = r.scan.wide, .capacity = r.capacity, .algorithm = *algorithm}, r.traits,
        {.counted = r.counted});
  }
  constexpr std::uint64_t some_outputs = 1'000'000;
  return plan_expand({.n = r.n,
                      .element_bytes = r.indices ? 0 : static_cast<std::uint32_t>(size_of(r.type)),
                      .capacity = r.capacity.value_or(some_outputs),
                      .algorithm = *algorithm},
                     r.traits, {.counted = r.counted});
}

Result<Plan> make_plan(const PlanRequest& r) {
  if ((r.primitive & selections) != 0) return plan_of_selection(r);
  return r.primitive == scan || r.primitive == reduce ? plan_of_scan(r) : plan_of_counts(r);
}

void add_options(CLI::App& app, PlanRequest& r) {
  app.add_option("PRIMITIVE", r.primitive_word,
                 "scan, reduce, compact, partition, unique, runs, allocate or expand");
  app.add_option("--n", r.n_word, "the number of elements: 1048576, 1e6 or 2^20 (1e6)");
  app.add_option("--type,--dtype", r.type_word, "u32, i32, f32, u64, i64, f64 or f16 (u32)");
  add_scan_options(app, r.scan);
  app.add_option("--flags", r.flags, "compact, partition: by flags of u8, u32 or bits (u8)");
  app.add_option("--where", r.where, "compact, partition: by a predicate, as in 'x > 3'");
  app.add_option("--second", r.second, "partition: a second predicate");
  app.add_flag("--indices", r.indices,
               "compact, partition, unique, expand: indices instead of values");
  app.add_option("--capacity", r.capacity_word,
                 "results, or places, that there are (of expand 1e6)");
  app.add_option("--traits", r.traits_file,
                 "a file that 'cumulo devices --json' wrote, or of one traits object (WebGPU's "
                 "defaults)");
  app.add_option("--device", r.device, "which device of --traits: its index, or part of its name");
  app.add_flag("--counted", r.counted,
               "the number of elements is known on the device only; --n is the most it can be");
  app.add_flag("--json", r.json, "one JSON object on standard output");
  app.add_flag("--wgsl", r.wgsl, "with the text of the kernels");
}

}  // namespace

int run_plan(const Arguments& arguments) {
  PlanRequest r;
  CLI::App app("What a device would be told to do; needs no device.", "cumulo plan");
  add_options(app, r);
  app.footer(example);
  if (const auto status = parse_arguments(app, arguments)) return *status;

  if (auto ok = interpret(app, r); !ok) return report_error(ok.error(), r.json);
  auto plan = make_plan(r);
  if (!plan) return report_error(plan.error(), r.json);
  if (r.json) {
    Json object = json_object("plan");
    object["plan"] = Json::parse(to_json(*plan, r.wgsl));
    return print_json(object);
  }
  std::string text = to_text(*plan);
  if (r.wgsl) {
    for (const PlanKernel& kernel : plan->kernels) {
      text += fmt::format("\n// kernel {}\n{}", kernel.name, kernel.wgsl);
    }
  }
  return print_text(text);
}

}  // namespace cumulo::app

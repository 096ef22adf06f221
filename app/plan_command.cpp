// cumulo plan: what a device would be told to do. No device is looked at.
#include <fmt/format.h>

#include "command.hpp"
#include "cumulo/allocate.hpp"
#include "cumulo/expand.hpp"
#include "cumulo/plan.hpp"
#include "formats/file.hpp"
#include "operator_file.hpp"
#include "options.hpp"
#include "report.hpp"

namespace cumulo::app {
namespace {

constexpr const char* example =
    "Example\n"
    "  cumulo plan scan --n 1e6 --exclusive\n"
    "prints the buffers, kernels and steps of a scan of a million u32 on a device that has no "
    "more\n"
    "than every WebGPU device.\n"
    "  cumulo plan reduce --n 1e6\n"
    "prints those of one sum of a million u32.\n"
    "  cumulo plan expand --n 1e6 --capacity 1e7\n"
    "prints those of an expansion of a million items to at most ten million u32.\n"
    "  cumulo devices --json      (the traits of the devices here)\n"
    "  cumulo plan scan --n 2^28 --traits traits.json --json\n"
    "prints the plan for a device with those traits, as JSON.\n";

struct Request {
  std::string primitive;
  std::string n = "1e6";
  std::string type = "u32";
  std::string traits_file;
  ScanArguments scan;
  std::string capacity = "1e6";
  bool counted = false;
  bool json = false;
  bool wgsl = false;
};

Result<Traits> read_traits(const std::string& path) {
  if (path.empty()) return Traits{};
  auto text = read_whole(path, false);
  if (!text) return std::unexpected{std::move(text.error())};
  auto traits = traits_from_json(*text);
  if (!traits) traits.error().message = source_name(path) + ": " + traits.error().message;
  return traits;
}

Result<Plan> plan_reduction(const Request& r, const ScanDescription& d, const Traits& traits) {
  if (r.scan.exclusive || r.scan.reverse || r.scan.init || r.scan.include_initial || r.counted ||
      d.algorithm != Algorithm::automatic) {
    return std::unexpected{
        Error{ErrorKind::bad_argument,
              "plan reduce takes --n, --type, --op and --traits: the rest is for scans"}};
  }
  return plan_reduce({.n = d.n, .type = d.type, .op = d.op, .monoid = d.monoid, .wide = d.wide},
                     traits);
}

// allocate and expand: what scans have beside is not for them.
Result<Plan> plan_from_counts(const Request& r) {
  auto n = parse_count("--n", r.n);
  if (!n) return std::unexpected{std::move(n.error())};
  auto capacity = parse_count("--capacity", r.capacity);
  if (!capacity) return std::unexpected{std::move(capacity.error())};
  auto algorithm = parse_algorithm_word(r.scan.algorithm);
  if (!algorithm) return std::unexpected{std::move(algorithm.error())};
  auto type = parse_type_word(r.type);
  if (!type) return std::unexpected{std::move(type.error())};
  auto traits = read_traits(r.traits_file);
  if (!traits) return std::unexpected{std::move(traits.error())};
  if (r.primitive == "allocate") {
    return plan_allocate({.n = *n, .wide = size_of(*type) == 8, .algorithm = *algorithm}, *traits,
                         {.counted = r.counted});
  }
  return plan_expand({.n = *n,
                      .element_bytes = static_cast<std::uint32_t>(size_of(*type)),
                      .capacity = *capacity,
                      .algorithm = *algorithm},
                     *traits, {.counted = r.counted});
}

Result<Plan> make_plan(const Request& r) {
  if (r.primitive == "allocate" || r.primitive == "expand") return plan_from_counts(r);
  if (r.primitive.empty()) {
    return std::unexpected{
        Error{ErrorKind::bad_argument, "plan needs a primitive: cumulo plan scan"}};
  }
  if (r.primitive != "scan" && r.primitive != "reduce") {
    const std::string known[] = {"scan", "reduce", "allocate", "expand"};
    return std::unexpected{unknown_word("the primitive", r.primitive, known)};
  }
  auto description = parse_scan(r.scan);
  if (!description) return std::unexpected{std::move(description.error())};
  auto n = parse_count("--n", r.n);
  if (!n) return std::unexpected{std::move(n.error())};
  auto type = parse_dtype(r.type);
  if (!type) return std::unexpected{std::move(type.error())};
  if (description->monoid) {
    if (r.scan.init) {
      auto element = parse_element(description->monoid->fields, *r.scan.init, "--init");
      if (!element) return std::unexpected{std::move(element.error())};
      description->monoid_init = std::move(*element);
    }
  } else {
    auto init = parse_init(r.scan, **type);
    if (!init) return std::unexpected{std::move(init.error())};
    description->init = *init;
  }
  auto traits = read_traits(r.traits_file);
  if (!traits) return std::unexpected{std::move(traits.error())};
  description->n = *n;
  description->type = **type;
  if (r.primitive == "reduce") return plan_reduction(r, *description, *traits);
  return plan_scan(*description, *traits, {.counted = r.counted});
}

}  // namespace

int run_plan(const Arguments& arguments) {
  Request r;
  CLI::App app("What a device would be told to do; needs no device.", "cumulo plan");
  app.add_option("PRIMITIVE", r.primitive, "scan, reduce, allocate or expand");
  app.add_option("--n", r.n, "the number of elements: 1048576, 1e6 or 2^20 (1e6)");
  app.add_option("--type,--dtype", r.type, "u32, i32, f32, u64, i64, f64 or f16 (u32)");
  add_scan_options(app, r.scan);
  app.add_option("--traits", r.traits_file,
                 "a JSON file of limits and features (WebGPU's defaults)");
  app.add_option("--capacity", r.capacity, "of expand: outputs at most (1e6)");
  app.add_flag("--counted", r.counted,
               "the number of elements is known on the device only; --n is the most it can be");
  app.add_flag("--json", r.json, "one JSON object on standard output");
  app.add_flag("--wgsl", r.wgsl, "with the text of the kernels");
  app.footer(example);
  if (const auto status = parse_arguments(app, arguments)) return *status;

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

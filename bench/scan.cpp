#include "bench/scan.hpp"

#include <algorithm>
#include <string>

#include "bench/groups.hpp"

namespace cumulo::bench {
namespace {

constexpr double default_heat_seconds = 0.5;

std::vector<std::uint64_t> powers_of_two(std::uint32_t first, std::uint32_t last,
                                         std::uint32_t step) {
  std::vector<std::uint64_t> sizes;
  for (std::uint32_t k = first; k <= last; k += step) sizes.push_back(std::uint64_t{1} << k);
  return sizes;
}

// With the teaching forms also a size that their one workgroup takes everywhere.
std::vector<std::uint64_t> usual_sizes(const DeviceInfo& device, bool with_work) {
  if (with_work) {
    auto sizes = usual_sizes(device, false);
    sizes.insert(sizes.begin(), 256);
    return sizes;
  }
  if (device.kind == DeviceKind::software) return powers_of_two(10, 18, 4);
  return device.backend == Backend::cpu ? powers_of_two(10, 26, 4) : powers_of_two(10, 28, 2);
}

std::vector<Type> usual_types(Device& device) {
  if (device.info().backend == Backend::cpu) return {Type::u32, Type::f32};
  std::vector<Type> types;
  for (const Type type : all_types) {
    if (plan_scan({.n = 1024, .type = type}, device.traits())) types.push_back(type);
  }
  return types;
}

// Adds to the group what is to be timed.
void add_scans(const ScanBenchOptions& options, Group& group) {
  for (const ScanKind kind : options.kinds) {
    for (const Layout layout : options.layouts) {
      // With the initial value the results are the same for both kinds.
      if (layout == Layout::include_initial && kind != options.kinds.front()) continue;
      for (const Algorithm algorithm : options.algorithms) {
        group.scans.push_back({{.n = group.n,
                                .type = group.type,
                                .op = group.op,
                                .kind = kind,
                                .reverse = layout == Layout::reverse,
                                .include_initial = layout == Layout::include_initial,
                                .algorithm = algorithm,
                                .monoid = group.monoid},
                               layout});
      }
    }
  }
}

// The groups of every size.
std::vector<Group> groups_of(const ScanBenchOptions& options, const std::vector<Type>& types,
                             const std::vector<std::uint64_t>& sizes) {
  std::vector<Group> groups;
  for (const Type type : types) {
    for (const Operator op : options.ops) {
      if (!is_defined(op, type)) continue;
      for (const std::uint64_t n : sizes) groups.push_back({.n = n, .type = type, .op = op});
    }
  }
  for (const Monoid& monoid : options.monoids) {
    for (const std::uint64_t n : sizes) groups.push_back({.n = n, .monoid = monoid});
  }
  for (Group& group : groups) {
    group.with_work = options.with_work;
    group.reduces = options.reduces;
    add_scans(options, group);
  }
  return groups;
}

Result<void> check(const DeviceInfo& device, const ScanBenchOptions& options,
                   const std::vector<Type>& types) {
  if (std::ranges::find(options.sizes, 0U) != options.sizes.end()) {
    return std::unexpected{Error{ErrorKind::bad_argument, "bench takes sizes above 0"}};
  }
  const bool plain = options.layouts == std::vector{Layout::plain} && options.monoids.empty();
  if (device.backend == Backend::cpu && !plain) {
    return std::unexpected{Error{ErrorKind::bad_argument,
                                 "on the CPU the plain layout and the operators of numbers are "
                                 "timed; the others are on a GPU"}};
  }
  const auto takes = [&](Operator op) {
    return std::ranges::any_of(types, [&](Type type) { return is_defined(op, type); });
  };
  for (const Operator op : options.ops) {
    if (takes(op)) continue;
    return std::unexpected{
        Error{ErrorKind::bad_argument, "none of the types takes " + std::string(name(op))}};
  }
  return {};
}

}  // namespace

std::string_view name(Layout layout) {
  constexpr std::array<std::string_view, 5> names{"plain", "reverse", "in-place", "odd-offsets",
                                                  "include-initial"};
  return names.at(static_cast<std::size_t>(layout));
}

std::optional<Layout> parse_layout(std::string_view word) {
  const auto* const found =
      std::ranges::find(all_layouts, word, [](Layout layout) { return name(layout); });
  return found == all_layouts.end() ? std::nullopt : std::optional(*found);
}

std::string our_name(const GroupScan& scan) {
  std::string text = "cumulo";
  if (scan.description.algorithm != Algorithm::automatic) {
    text += ", " + std::string(name(scan.description.algorithm));
  }
  if (scan.layout != Layout::plain) text += ", " + std::string(name(scan.layout));
  return text;
}

Result<Report> run_scan(Device& device, const ScanBenchOptions& options) {
  const DeviceInfo& info = device.info();
  const auto sizes = options.sizes.empty() ? usual_sizes(info, options.with_work) : options.sizes;
  const auto types = options.types.empty() ? usual_types(device) : options.types;
  if (auto ok = check(info, options, types); !ok) return std::unexpected{std::move(ok.error())};
  const bool hardware = info.backend == Backend::webgpu && info.kind != DeviceKind::software;
  const GpuTiming timing{options.heat_seconds.value_or(hardware ? default_heat_seconds : 0),
                         options.wall_clock};

  Report report = make_report(device, std::max(1U, options.runs));
  if (info.backend == Backend::cpu) report.pages = options.pages;
  for (const Group& group : groups_of(options, types, sizes)) {
    auto ok = info.backend == Backend::cpu ? measure_on_host(device, group, options.pages, report)
                                           : measure_on_gpu(device, group, timing, report);
    if (!ok) return std::unexpected{std::move(ok.error())};
  }
  if (info.backend == Backend::webgpu) refuse_faster_than_copy(report);
  return report;
}

Result<Report> run_reduce(Device& device, ScanBenchOptions options) {
  options.kinds.clear();
  options.algorithms.clear();
  options.reduces = true;
  return run_scan(device, options);
}

}  // namespace cumulo::bench

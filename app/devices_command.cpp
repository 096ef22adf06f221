// cumulo devices: every adapter and the CPU backend.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "command.hpp"
#include "cumulo/device.hpp"
#include "cumulo/self_check.hpp"
#include "report.hpp"

namespace cumulo::app {
namespace {

constexpr const char* example =
    "Example\n"
    "  cumulo devices\n"
    "lists the adapters; '--device 0' or '--device nvidia' of the other commands takes one of "
    "them.\n"
    "'--device auto' takes a hardware GPU, else the CPU backend; a software adapter has to be "
    "named.\n"
    "  cumulo devices --self-check\n"
    "runs small scans of f32 and f16 on each of them, compares every bit with the CPU backend's, "
    "and\n"
    "says what the device's compiler makes of arithmetic. Status 1 where a promised bit differs.\n";

std::string subgroup_text(const Traits& traits) {
  if (!traits.subgroups) return "none";
  if (traits.subgroup_width != 0) return fmt::format("{} lanes", traits.subgroup_width);
  if (traits.subgroup_max_size == 0) return "width not known";
  return fmt::format("{} to {} lanes", traits.subgroup_min_size, traits.subgroup_max_size);
}

std::string use_text(const AdapterReport& adapter) {
  if (adapter.refused) return "no: " + *adapter.refused;
  return adapter.info.kind == DeviceKind::software ? "when named (a software adapter)" : "yes";
}

std::string mib(std::uint64_t bytes) { return fmt::format("{} MiB", bytes >> 20); }

std::string line(std::string_view label, std::string_view text) {
  return text.empty() ? "" : fmt::format("     {:<12}{}\n", label, text);
}

// What became of an adapter's check; none where the adapter cannot be used.
using Checked = std::optional<Result<SelfCheck>>;

Checked check_adapter(std::size_t index, const AdapterReport& adapter) {
  if (adapter.refused) return std::nullopt;
  auto device = Device::open(std::to_string(index));
  if (!device) return std::unexpected{std::move(device.error())};
  return self_check(*device);
}

std::string check_text(const Checked& checked) {
  if (!checked) return "";
  if (!*checked) return line("self-check", "failed: " + checked->error().message);
  const SelfCheck& check = **checked;
  const auto promised = std::ranges::count_if(check.cases, &SelfCheckCase::promised);
  std::string text =
      line("self-check", check.ok()
                             ? fmt::format("passed: {} scans give the CPU backend's bits", promised)
                             : "failed: the device gives other bits than the CPU backend");
  const auto word = [](bool yes) { return yes ? "yes" : "no"; };
  text += line("", fmt::format("contracts a * b + c: {}, flushes subnormal numbers: {}",
                               word(check.contracts), word(check.flushes_denormals)));
  text += line("", fmt::format("reassociates: {}, (a + b) - a is b: {}, -0 + 0 is -0: {}",
                               word(check.reassociates), word(check.simplifies),
                               word(check.drops_signed_zeros)));
  // Those that differ: every promised one, and of the others the first and how many.
  std::size_t unpromised = 0;
  for (const SelfCheckCase& c : check.cases) {
    if (!c.first_difference || (!c.promised && ++unpromised > 1)) continue;
    text += line(
        "", fmt::format("{}{} by {}: index {}: expected {}, found {}",
                        c.promised ? "" : "not promised: ", c.name, c.algorithm,
                        c.first_difference->index, to_string(Scalar{c.first_difference->expected}),
                        to_string(Scalar{c.first_difference->found})));
  }
  if (unpromised > 1) {
    text += line("", fmt::format("and {} more with subnormal results", unpromised - 1));
  }
  return text;
}

Json check_json(const Checked& checked) {
  if (!checked) return nullptr;
  if (!*checked) {
    const Error& error = checked->error();
    return {{"ok", false}, {"error", {{"kind", name(error.kind)}, {"message", error.message}}}};
  }
  const SelfCheck& check = **checked;
  Json object{{"ok", check.ok()},
              {"contracts", check.contracts},
              {"flushes_denormals", check.flushes_denormals},
              {"reassociates", check.reassociates},
              {"simplifies", check.simplifies},
              {"drops_signed_zeros", check.drops_signed_zeros},
              {"cases", Json::array()}};
  for (const SelfCheckCase& c : check.cases) {
    object["cases"].push_back({{"name", c.name},
                               {"algorithm", c.algorithm},
                               {"promised", c.promised},
                               {"first_difference", json_difference(c.first_difference)}});
  }
  return object;
}

// The worst of what was found: a device that failed while working, then one that differs.
int status_of(const std::vector<Checked>& checks) {
  int status = done;
  for (const Checked& checked : checks) {
    if (!checked) continue;
    if (!*checked) return exit_status(checked->error().kind);
    if (!(*checked)->ok()) status = check_failed;
  }
  return status;
}

std::string adapter_text(std::size_t index, const AdapterReport& adapter) {
  const Limits& limits = adapter.traits.limits;
  std::string text = fmt::format("{:<5}{}\n", index, adapter.info.name);
  text += line("usable", use_text(adapter));
  text += line("kind", fmt::format("{}, {}", name(adapter.info.kind), adapter.info.api));
  text += line("driver", adapter.info.driver);
  text += line("subgroups", subgroup_text(adapter.traits));
  text +=
      line("limits", fmt::format("buffer {}, binding {}, workgroup memory {} KiB",
                                 mib(limits.max_buffer_size), mib(limits.max_storage_binding_size),
                                 limits.max_workgroup_memory >> 10));
  text += line(
      "", fmt::format("{} invocations a workgroup, {} workgroups a dimension, {} storage buffers",
                      limits.max_invocations_per_workgroup, limits.max_workgroups_per_dimension,
                      limits.max_storage_buffers_per_stage));
  text += line("features", fmt::format("{}", fmt::join(adapter.features, ", ")));
  return text;
}

Json adapter_json(std::size_t index, const AdapterReport& adapter) {
  Json object{{"index", index}};
  object.update(json_device(adapter.info));
  object["api"] = adapter.info.api;
  object["driver"] = adapter.info.driver;
  object["usable"] = !adapter.refused;
  object["reason"] = nullptr;
  if (adapter.refused) object["reason"] = *adapter.refused;
  object["features"] = adapter.features;
  object["traits"] = Json::parse(to_json(adapter.traits));
  return object;
}

Json cpu_json(const DeviceInfo& info) {
  Json object{{"index", nullptr}};
  object.update(json_device(info));
  object["api"] = info.api;
  object["driver"] = info.driver;
  object["usable"] = true;
  object["reason"] = nullptr;
  return object;
}

}  // namespace

int run_devices(const Arguments& arguments) {
  bool json = false;
  bool checks_itself = false;
  CLI::App app("All adapters, their limits, and for each one not usable the reason.",
               "cumulo devices");
  app.add_flag("--self-check", checks_itself,
               "compare small scans on every device with the CPU backend, bit for bit");
  app.add_flag("--json", json, "one JSON object on standard output");
  app.footer(example);
  if (const auto status = parse_arguments(app, arguments)) return *status;

  const std::vector<AdapterReport> adapters = list_adapters();
  const Device cpu = Device::cpu();
  std::vector<Checked> checks(adapters.size());
  if (checks_itself) {
    for (std::size_t i = 0; i < adapters.size(); ++i) checks[i] = check_adapter(i, adapters[i]);
  }
  const int status = status_of(checks);
  const auto ended = [&](int printed) { return printed == done ? status : printed; };
  if (json) {
    Json devices = Json::array();
    for (std::size_t i = 0; i < adapters.size(); ++i) {
      devices.push_back(adapter_json(i, adapters[i]));
      if (checks_itself) devices.back()["self_check"] = check_json(checks[i]);
    }
    devices.push_back(cpu_json(cpu.info()));
    if (checks_itself) devices.back()["self_check"] = nullptr;
    Json object = json_object("devices");
    object["devices"] = std::move(devices);
    return ended(print_json(object));
  }
  std::string text;
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    text += adapter_text(i, adapters[i]) + check_text(checks[i]) + "\n";
  }
  if (adapters.empty())
    text += "No adapter was found: there is no Vulkan driver, or no Vulkan loader.\n\n";
  text +=
      fmt::format("cpu  {}\n", cpu.info().name) + line("usable", "yes: every type and operator");
  if (checks_itself) text += line("self-check", "what the others are compared with");
  return ended(print_text(text));
}

}  // namespace cumulo::app

// cumulo devices: every adapter and the CPU backend.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.hpp"
#include "cumulo/device.hpp"
#include "report.hpp"

namespace cumulo::app {
namespace {

constexpr const char* example =
    "Example\n"
    "  cumulo devices\n"
    "lists the adapters; '--device 0' or '--device nvidia' of the other commands takes one of "
    "them.\n"
    "'--device auto' takes a hardware GPU, else the CPU backend; a software adapter has to be "
    "named.\n";

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
  CLI::App app("All adapters, their limits, and for each one not usable the reason.",
               "cumulo devices");
  app.add_flag("--json", json, "one JSON object on standard output");
  app.footer(example);
  if (const auto status = parse_arguments(app, arguments)) return *status;

  const std::vector<AdapterReport> adapters = list_adapters();
  const Device cpu = Device::cpu();
  if (json) {
    Json devices = Json::array();
    for (std::size_t i = 0; i < adapters.size(); ++i)
      devices.push_back(adapter_json(i, adapters[i]));
    devices.push_back(cpu_json(cpu.info()));
    Json object = json_object("devices");
    object["devices"] = std::move(devices);
    return print_json(object);
  }
  std::string text;
  for (std::size_t i = 0; i < adapters.size(); ++i) text += adapter_text(i, adapters[i]) + "\n";
  if (adapters.empty())
    text += "No adapter was found: there is no Vulkan driver, or no Vulkan loader.\n\n";
  text +=
      fmt::format("cpu  {}\n", cpu.info().name) + line("usable", "yes: every type and operator");
  return print_text(text);
}

}  // namespace cumulo::app

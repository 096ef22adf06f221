#include "report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdio>

#include "command.hpp"
#include "formats/file.hpp"

namespace cumulo::app {
namespace {

constexpr std::string_view schema = "cumulo/1";

Json json_float(double value, std::string_view shortest) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  // 0.1f is to be written 0.1, not 0.10000000149011612.
  std::from_chars(shortest.data(), shortest.data() + shortest.size(), value);
  return value;
}

}  // namespace

Json json_object(std::string_view primitive) {
  return {{"schema", schema}, {"primitive", primitive}};
}

Json json_value(const Scalar& value) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  return std::visit(
      [&]<class T>(T v) -> Json {
        if constexpr (!std::is_integral_v<T>) {
          return json_float(static_cast<double>(v), to_string(value));
        } else if (std::cmp_greater(v, exact) || std::cmp_less(v, -exact)) {
          return to_string(value);
        } else {
          return v;
        }
      },
      value);
}

Json json_device(const DeviceInfo& device) {
  return {{"name", device.name}, {"backend", name(device.backend)}, {"kind", name(device.kind)}};
}

Json json_counts(const Counts& counts) {
  return {{"steps", counts.steps},
          {"additions", counts.additions},
          {"barriers", counts.barriers},
          {"subgroup_calls", counts.subgroup_calls}};
}

Json json_time(const std::optional<Timing>& timing) {
  if (!timing) return nullptr;
  return {{"median_ms", timing->median_ms}, {"runs", timing->runs}, {"clock", name(timing->clock)}};
}

std::string describe_device(const DeviceInfo& device) {
  if (device.backend == Backend::cpu) return device.name;
  return fmt::format("{} ({}, {})", device.name, name(device.backend), name(device.kind));
}

std::string describe_time(const Timing& timing) {
  return fmt::format("{:.4g} ms (median of {}, {} clock)", timing.median_ms, timing.runs,
                     name(timing.clock));
}

int print_text(std::string_view text) {
  Writer writer(STDOUT_FILENO, "standard output");
  auto written = writer.write(text);
  if (written) written = writer.flush();
  if (written) return done;
  say("cumulo: " + written.error().message);
  return exit_status(written.error().kind);
}

int print_json(const Json& object) {
  // Names of files and devices may hold bytes that are no UTF-8.
  return print_text(object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void say(std::string_view line) {
  std::string text(line);
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int report_error(const Error& error, bool json) {
  say("cumulo: " + describe(error));
  if (json) {
    Json object{
        {"schema", schema},
        {"error",
         {{"kind", name(error.kind)}, {"message", error.message}, {"reasons", error.reasons}}}};
    print_json(object);
  }
  return exit_status(error.kind);
}

}  // namespace cumulo::app

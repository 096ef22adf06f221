// Counts of items as a command reads them, and what its device does with them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cumulo/device.hpp"
#include "formats/array.hpp"
#include "report.hpp"
#include "request.hpp"

namespace cumulo::app {

// Whole numbers from 0 to 2^32 - 1, of whatever type; a bad_argument names the first that is none.
Result<std::vector<std::uint32_t>> read_counts(const Request& request);

// What of a result differs from a sequential computation: element `index`, or what is named.
struct CountDifference {
  std::string what;  // "index 3", "the total"
  std::uint64_t index = 0;
  Scalar expected;
  Scalar found;
};

// "check", null where none was asked for.
Json json_check(const Request& request, const std::optional<CountDifference>& difference);
void say_difference(const Request& request, const CountDifference& difference);

// Values of an array, or null where a file has them or they are too many.
Json json_values(const Request& request, const Values& values);

// run(device) on the device asked for. Under `auto`, what the GPU cannot do the CPU backend does.
template <class Run>
auto on_any_device(const Request& request, Run&& run) -> decltype(run(std::declval<Device&>())) {
  auto device = open_device(request.device);
  if (!device) return std::unexpected{std::move(device.error())};
  auto outcome = run(*device);
  if (outcome || request.device != "auto" || device->info().backend == Backend::cpu ||
      outcome.error().kind != ErrorKind::unsupported) {
    return outcome;
  }
  Device cpu = Device::cpu();
  auto second = run(cpu);
  // What neither can do, the GPU's sentence says best.
  if (!second && second.error().kind == ErrorKind::unsupported) return outcome;
  if (second && !request.report.quiet) {
    say(fmt::format("cumulo: {}: {}; the CPU backend does it", device->info().name,
                    outcome.error().message));
  }
  return second;
}

}  // namespace cumulo::app

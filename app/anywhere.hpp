// Where a command's work is done: on the device asked for, or under `auto` where it can be.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "cumulo/device.hpp"
#include "options.hpp"
#include "report.hpp"

namespace cumulo::app {

// What work(device) gives. Under `auto`, what the GPU cannot do the CPU backend does, and that is
// said unless quiet.
template <class Work>
auto done_anywhere(const std::string& device_word, bool quiet, Work&& work)
    -> decltype(work(std::declval<Device&>())) {
  auto device = open_device(device_word);
  if (!device) return std::unexpected{std::move(device.error())};
  auto outcome = work(*device);
  if (outcome || device_word != "auto" || device->info().backend == Backend::cpu ||
      outcome.error().kind != ErrorKind::unsupported) {
    return outcome;
  }
  Device cpu = Device::cpu();
  auto second = work(cpu);
  // What neither can do, the GPU's sentence says best.
  if (!second && second.error().kind == ErrorKind::unsupported) return outcome;
  if (second && !quiet) {
    say(fmt::format("cumulo: {}: {}; the CPU backend does it", device->info().name,
                    outcome.error().message));
  }
  return second;
}

}  // namespace cumulo::app

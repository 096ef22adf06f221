// Whether what a picture shows is right: compared with a plain loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cumulo/scan_description.hpp"
#include "picture/scene.hpp"

namespace cumulo::picture {

std::vector<std::uint32_t> running_sum(std::span<const std::uint32_t> values, ScanKind kind);

struct Difference {
  std::string what;
  std::size_t index;
  std::uint32_t expected;
  std::uint32_t found;
};

std::optional<Difference> first_difference(std::string_view what,
                                           std::span<const std::uint32_t> expected,
                                           std::span<const std::uint32_t> found);

// `good` in green where nothing differs, else the difference in red; at most `room` pixels wide.
Label verdict(double x, double baseline, double room, const std::optional<Difference>& difference,
              std::string good);
// The same with what is wrong in words.
Label verdict(double x, double baseline, double room, const std::optional<std::string>& wrong,
              std::string good);

}  // namespace cumulo::picture

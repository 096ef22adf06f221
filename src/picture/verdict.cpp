#include "picture/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "picture/palette.hpp"

namespace cumulo::picture {

std::vector<std::uint32_t> running_sum(std::span<const std::uint32_t> values, ScanKind kind) {
  std::vector<std::uint32_t> sums;
  sums.reserve(values.size());
  std::uint32_t sum = 0;
  for (const std::uint32_t value : values) {
    const std::uint32_t before = sum;
    sum += value;
    sums.push_back(kind == ScanKind::inclusive ? sum : before);
  }
  return sums;
}

std::optional<Difference> first_difference(std::string_view what,
                                           std::span<const std::uint32_t> expected,
                                           std::span<const std::uint32_t> found) {
  const auto [right, wrong] = std::ranges::mismatch(expected, found);
  if (right == expected.end() || wrong == found.end()) return std::nullopt;
  return Difference{std::string{what}, static_cast<std::size_t>(right - expected.begin()), *right,
                    *wrong};
}

Label verdict(double x, double baseline, double room, const std::optional<std::string>& wrong,
              std::string good) {
  return {.x = x,
          .baseline = baseline,
          .size = 11.5,
          .colour = wrong ? palette::wrong : palette::right,
          .text = wrong ? *wrong : std::move(good),
          .weight = Weight::bold,
          .room = room};
}

Label verdict(double x, double baseline, double room, const std::optional<Difference>& difference,
              std::string good) {
  std::optional<std::string> wrong;
  if (difference) {
    wrong = fmt::format("wrong: {}[{}] is {}, not {}", difference->what, difference->index,
                        difference->found, difference->expected);
  }
  return verdict(x, baseline, room, wrong, std::move(good));
}

}  // namespace cumulo::picture

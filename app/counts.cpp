#include "counts.hpp"

#include <fmt/format.h>

#include <limits>
#include <type_traits>
#include <utility>

namespace cumulo::app {

Result<std::vector<std::uint32_t>> read_counts(const Request& r) {
  auto array = read_array(r.input, r.input_format,
                          {.type = r.type, .column = r.column, .show_progress = !r.report.quiet});
  if (!array) return std::unexpected{std::move(array.error())};
  return std::visit(
      [&]<class T>(std::vector<T>& values) -> Result<std::vector<std::uint32_t>> {
        if constexpr (std::is_same_v<T, std::uint32_t>) {
          return std::move(values);
        } else {
          std::vector<std::uint32_t> counts(values.size());
          for (std::size_t i = 0; i < values.size(); ++i) {
            const T value = values[i];
            constexpr auto most = std::numeric_limits<std::uint32_t>::max();
            bool is_count = false;
            if constexpr (!std::is_integral_v<T>) {
              is_count = value >= 0 && static_cast<double>(value) <= most &&
                         value == static_cast<T>(static_cast<std::uint32_t>(value));
            } else {
              is_count = std::cmp_greater_equal(value, 0) && std::cmp_less_equal(value, most);
            }
            if (!is_count) {
              return std::unexpected{Error{
                  ErrorKind::bad_argument,
                  fmt::format("{}: index {} is {}, and a count is a whole number from 0 to {}",
                              source_name(r.input), i, to_string(Scalar{value}), most)}};
            }
            counts[i] = static_cast<std::uint32_t>(value);
          }
          return counts;
        }
      },
      array->values);
}

}  // namespace cumulo::app

#include "predicate/real.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace cumulo::predicate {

std::optional<double> real_of(const std::string& text) {
#ifdef __cpp_lib_to_chars
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || last != end) return std::nullopt;
#else
  // A library without from_chars of floats: libc++ 19.
  const double value = std::strtod(text.c_str(), nullptr);
  const bool has_digits =
      text.substr(0, text.find_first_of("eE")).find_first_of("123456789") != std::string::npos;
  if (std::isinf(value) || (value == 0 && has_digits)) return std::nullopt;
#endif
  return value;
}

}  // namespace cumulo::predicate

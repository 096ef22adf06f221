#include "formats/number.hpp"

#include <algorithm>

namespace cumulo::app {
namespace {

constexpr std::size_t longest_shown = 40;

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

NumberFault integer_fault(std::string_view token, bool is_unsigned) {
  const bool minus = token.starts_with('-');
  if (is_digits(token.substr(minus ? 1 : 0))) {
    return minus && is_unsigned ? NumberFault::negative : NumberFault::out_of_range;
  }
  return is_number(token) ? NumberFault::not_integer : NumberFault::not_a_number;
}

bool is_number(std::string_view token) {
  double ignored = 0;
  return parse_number(token, ignored) != NumberFault::not_a_number;
}

std::string shown(std::string_view token) {
  std::string text = "'";
  for (const char c : token.substr(0, longest_shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      text += c;
      continue;
    }
    constexpr char digits[] = "0123456789abcdef";
    text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
  return text + (token.size() > longest_shown ? "...'" : "'");
}

std::string describe(NumberFault fault, std::string_view token, Type type) {
  const std::string type_name(name(type));
  switch (fault) {
    case NumberFault::not_integer:
      return shown(token) + " is not an integer, which " + type_name + " needs";
    case NumberFault::out_of_range: return shown(token) + " is outside the range of " + type_name;
    case NumberFault::negative:
      return shown(token) + " is negative, which " + type_name + " cannot hold";
    case NumberFault::not_a_number:
    case NumberFault::none: break;
  }
  return token.empty() ? "a number is missing" : shown(token) + " is not a number";
}

}  // namespace cumulo::app

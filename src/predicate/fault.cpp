#include "predicate/fault.hpp"

#include <algorithm>

namespace cumulo::predicate {
namespace {

constexpr std::size_t most_shown = 60;  // characters on either side of the fault

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

// Tabs and other control characters would move the caret or the terminal.
std::string printable(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = ' ';
  }
  return line;
}

}  // namespace

Error error_of(const Fault& fault, std::string_view text) {
  const std::size_t at = std::min(fault.offset, text.size());
  std::size_t first = at > most_shown ? at - most_shown : 0;
  while (first < at && !starts_character(text[first])) ++first;
  std::size_t last = std::min(text.size(), at + most_shown);
  while (last < text.size() && !starts_character(text[last])) ++last;
  const std::string before = (first > 0 ? "..." : "") + printable(text.substr(first, at - first));
  const std::string after =
      printable(text.substr(at, last - at)) + (last < text.size() ? "..." : "");
  return {ErrorKind::bad_argument,
          "the predicate is wrong at character " +
              std::to_string(characters(text.substr(0, at)) + 1) + ": " + fault.what,
          {before + after, std::string(characters(before), ' ') + "^"}};
}

}  // namespace cumulo::predicate

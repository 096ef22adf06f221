#include "formats/place.hpp"

namespace cumulo::app {

std::string place(std::string_view text, std::size_t offset) {
  std::size_t line = 1;
  std::size_t character = 1;
  for (std::size_t i = 0; i < offset; ++i) {
    const bool pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (text[i] == '\n' || (text[i] == '\r' && !pair)) {
      ++line;
      character = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) {
      ++character;
    }
  }
  return "line " + std::to_string(line) + ", character " + std::to_string(character);
}

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

}  // namespace cumulo::app

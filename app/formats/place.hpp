// Where in a text something stands, for messages.
#pragma once

#include <string>
#include <string_view>

namespace cumulo::app {

// "line 3, character 5" of text[offset], both from 1, characters of UTF-8. A line ends
// with \n, \r\n or \r.
std::string place(std::string_view text, std::size_t offset);

// A text without its UTF-8 byte order mark.
std::string_view without_mark(std::string_view text);

}  // namespace cumulo::app

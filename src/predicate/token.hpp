// The words of a predicate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "predicate/fault.hpp"

namespace cumulo::predicate {

enum class TokenKind : std::uint8_t {
  integer,  // 12, 0xff
  real,     // 1.5, .5, 1e6
  name,     // price, `unit price`
  sign,     // ( ) + - * / // % < <= > >= == != and or not
  end,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text = {};  // of a name in backquotes what stands between them
  std::size_t offset = 0;
  bool quoted = false;
};

// All words and an end.
Checked<std::vector<Token>> tokens_of(std::string_view text);

}  // namespace cumulo::predicate

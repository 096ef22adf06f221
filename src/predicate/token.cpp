#include "predicate/token.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace cumulo::predicate {
namespace {

constexpr std::size_t longest_text = 16384;  // bytes

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
// Letters of other scripts come as several bytes, all of them above 127.
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_name(char c) { return begins_name(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Signs of other languages, and what is meant.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> foreign{{
    {"&&", "write 'and' for &&"},
    {"||", "write 'or' for ||"},
    {"<>", "write != for <>"},
    {"**", "there is no power **; multiply instead"},
    {"=", "write == to compare"},
    {"!", "write 'not' for !"},
    {"&", "write 'and' for &"},
    {"|", "write 'or' for |"},
}};

constexpr std::array<std::string_view, 14> signs{"//", "<=", ">=", "==", "!=", "(", ")",
                                                 "+",  "-",  "*",  "/",  "%",  "<", ">"};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Checked<std::vector<Token>> run() {
    if (text_.size() > longest_text) {
      return fault(0, "the text has " + std::to_string(text_.size()) + " bytes; at most " +
                          std::to_string(longest_text) + " are read");
    }
    std::vector<Token> tokens;
    while (true) {
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (at_ == text_.size()) break;
      auto token = next();
      if (!token) return std::unexpected{std::move(token.error())};
      tokens.push_back(std::move(*token));
    }
    tokens.push_back({.offset = at_});
    return tokens;
  }

 private:
  static std::unexpected<Fault> fault(std::size_t offset, std::string what) {
    return std::unexpected{Fault{offset, std::move(what)}};
  }

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Checked<Token> next() {
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (begins_name(c)) return name();
    if (c == '`') return quoted_name();
    if (c == '"' || c == '\'') {
      return fault(at_, "texts cannot be compared; a column's name goes between backquotes `");
    }
    const std::string_view rest = text_.substr(at_);
    const auto begins = [&](std::string_view sign) { return rest.starts_with(sign); };
    const auto other = std::ranges::find_if(foreign, [&](auto& entry) {
      // != and == begin like signs that are none.
      return begins(entry.first) && !begins("!=") && !begins("==");
    });
    if (other != foreign.end()) return fault(at_, std::string(other->second));
    const auto sign = std::ranges::find_if(signs, begins);
    if (sign == signs.end()) {
      return fault(at_, "'" + std::string(1, c >= 0x20 && c < 0x7f ? c : '?') +
                            "' is no sign of this language");
    }
    return take(TokenKind::sign, sign->size());
  }

  Token take(TokenKind kind, std::size_t length) {
    Token token{kind, std::string(text_.substr(at_, length)), at_};
    at_ += length;
    return token;
  }

  Checked<Token> number() {
    std::size_t length = 0;
    const auto skip = [&](auto is_in) {
      const std::size_t first = length;
      while (is_in(peek(length))) ++length;
      return length > first;
    };
    TokenKind kind = TokenKind::integer;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
      length = 2;
      if (!skip(is_hex_digit)) return fault(at_, "no digit after 0x");
    } else {
      skip(is_digit);
      if (peek(length) == '.') {
        kind = TokenKind::real;
        ++length;
        skip(is_digit);
      }
      if (peek(length) == 'e' || peek(length) == 'E') {
        const std::size_t sign = peek(length + 1) == '+' || peek(length + 1) == '-' ? 2 : 1;
        if (is_digit(peek(length + sign))) {
          kind = TokenKind::real;
          length += sign;
          skip(is_digit);
        }
      }
    }
    if (continues_name(peek(length)) || peek(length) == '.') {
      return fault(at_ + length, "a number ends here, and more text follows without a blank");
    }
    return take(kind, length);
  }

  Checked<Token> name() {
    std::size_t length = 1;
    while (continues_name(peek(length))) ++length;
    Token token = take(TokenKind::name, length);
    if (token.text == "and" || token.text == "or" || token.text == "not") {
      token.kind = TokenKind::sign;
    }
    return token;
  }

  // A backquote within is doubled.
  Checked<Token> quoted_name() {
    Token token{TokenKind::name, "", at_, true};
    while (true) {
      const std::size_t close = text_.find('`', at_ + 1);
      if (close == std::string_view::npos) {
        return fault(token.offset, "the name that begins here has no closing backquote");
      }
      token.text += text_.substr(at_ + 1, close - at_ - 1);
      at_ = close + 1;
      if (peek() != '`') return token;
      token.text += '`';
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Checked<std::vector<Token>> tokens_of(std::string_view text) { return Lexer(text).run(); }

}  // namespace cumulo::predicate

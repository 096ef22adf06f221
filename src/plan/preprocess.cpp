#include "plan/preprocess.hpp"

#include <cctype>
#include <charconv>
#include <set>
#include <utility>
#include <vector>

#include "plan/kernel_files.hpp"

namespace cumulo::plan {
namespace {

struct Line {
  std::string_view file;
  std::size_t number;
  std::string_view text;
};

Error error_at(const Line& line, std::string message) {
  return {ErrorKind::bad_argument,
          std::string(line.file) + ":" + std::to_string(line.number) + ": " + std::move(message)};
}

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Recursive descent over one expression; the first fault is kept and ends it.
class Expression {
 public:
  Expression(std::string_view text, const Values& values) : text_(text), values_(values) {}

  std::expected<std::int64_t, std::string> evaluate() {
    const std::int64_t value = comparison();
    skip_blanks();
    if (fault_.empty() && at_ != text_.size()) {
      fault_ = "unexpected '" + std::string(text_.substr(at_)) + "' in expression";
    }
    if (!fault_.empty()) return std::unexpected{fault_};
    return value;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool take(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  std::int64_t comparison() {
    const std::int64_t left = sum();
    if (take("==")) return left == sum() ? 1 : 0;
    if (take("<")) return left < sum() ? 1 : 0;
    return left;
  }

  std::int64_t sum() {
    std::int64_t value = product();
    for (;;) {
      if (take("+")) {
        value += product();
      } else if (take("-")) {
        value -= product();
      } else {
        return value;
      }
    }
  }

  std::int64_t product() {
    std::int64_t value = factor();
    for (;;) {
      if (take("*")) {
        value *= factor();
      } else if (take("/")) {
        const std::int64_t divisor = factor();
        value = divisor == 0 ? fail("division by zero") : value / divisor;
      } else if (take("%")) {
        const std::int64_t divisor = factor();
        value = divisor == 0 ? fail("division by zero") : value % divisor;
      } else {
        return value;
      }
    }
  }

  std::int64_t factor() {
    if (take("!")) return factor() == 0 ? 1 : 0;
    if (take("-")) return -factor();
    if (take("(")) {
      const std::int64_t value = comparison();
      return take(")") ? value : fail("missing ')'");
    }
    std::size_t end = at_;
    while (end < text_.size() && is_name_char(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    if (word.empty()) return fail("a value is missing in the expression");
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
      std::int64_t number = 0;
      const auto [rest, status] = std::from_chars(word.data(), word.data() + word.size(), number);
      const bool whole = status == std::errc{} && rest == word.data() + word.size();
      return whole ? number : fail("'" + std::string(word) + "' is no number");
    }
    const auto found = values_.find(word);
    return found != values_.end() ? found->second
                                  : fail("'" + std::string(word) + "' has no value");
  }

  std::int64_t fail(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
    at_ = text_.size();
    return 0;
  }

  std::string_view text_;
  const Values& values_;
  std::size_t at_ = 0;
  std::string fault_;
};

struct Directive {
  std::string_view keyword;
  std::string_view argument;
};

std::optional<Directive> directive_of(std::string_view text) {
  const std::string_view line = trim(text);
  if (!line.starts_with('#')) return std::nullopt;
  const auto end = line.find_first_of(" \t");
  if (end == std::string_view::npos) return Directive{line, {}};
  return Directive{line.substr(0, end), trim(line.substr(end))};
}

class Preprocessor {
 public:
  Preprocessor(Values values, const FileLookup& lookup)
      : values_(std::move(values)), lookup_(lookup) {}

  std::optional<Error> include(std::string_view path, const Line& from) {
    if (!included_.emplace(path).second) return std::nullopt;
    const auto text = lookup_(path);
    if (!text) return error_at(from, "no file '" + std::string(path) + "' to import");
    std::vector<Line> lines;
    std::size_t begin = 0;
    while (begin < text->size()) {
      const auto end = std::min(text->find('\n', begin), text->size());
      lines.push_back({path, lines.size() + 1, text->substr(begin, end - begin)});
      begin = end + 1;
    }
    return expand(lines, 0, lines.size());
  }

  std::string output;

 private:
  std::optional<Error> expand(const std::vector<Line>& lines, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto directive = directive_of(lines[i].text);
      if (!directive) {
        if (auto error = substitute(lines[i])) return error;
      } else if (directive->keyword == "#import") {
        if (auto error = include(directive->argument, lines[i])) return error;
      } else if (directive->keyword == "#if" || directive->keyword == "#repeat") {
        const auto block = find_block(lines, i, end);
        if (!block) return block.error();
        auto error = directive->keyword == "#if"
                         ? expand_if(lines, i, *block, directive->argument)
                         : expand_repeat(lines, i, *block, directive->argument);
        if (error) return error;
        i = block->end;
      } else {
        return error_at(lines[i], "unexpected " + std::string(directive->keyword));
      }
    }
    return std::nullopt;
  }

  struct Block {
    std::size_t middle;  // the line of #else, or end
    std::size_t end;     // the line of #endif or #end
  };

  // The lines that close the block opened at `open`.
  static Result<Block> find_block(const std::vector<Line>& lines, std::size_t open,
                                  std::size_t end) {
    std::vector<std::string_view> opened;
    std::size_t middle = 0;
    for (std::size_t i = open; i < end; ++i) {
      const auto directive = directive_of(lines[i].text);
      if (!directive) continue;
      if (directive->keyword == "#if" || directive->keyword == "#repeat") {
        opened.push_back(directive->keyword);
      } else if (directive->keyword == "#else" && opened.size() == 1) {
        if (opened.back() != "#if" || middle != 0) {
          return std::unexpected{error_at(lines[i], "#else without #if")};
        }
        middle = i;
      } else if (directive->keyword == "#endif" || directive->keyword == "#end") {
        const std::string_view wanted = opened.back() == "#if" ? "#endif" : "#end";
        if (directive->keyword != wanted) {
          return std::unexpected{error_at(
              lines[i], std::string(directive->keyword) + " closes " + std::string(opened.back()))};
        }
        opened.pop_back();
        if (opened.empty()) return Block{middle == 0 ? i : middle, i};
      }
    }
    return std::unexpected{error_at(lines[open], "the block that begins here has no end")};
  }

  std::optional<Error> expand_if(const std::vector<Line>& lines, std::size_t open,
                                 const Block& block, std::string_view condition) {
    const auto value = Expression(condition, values_).evaluate();
    if (!value) return error_at(lines[open], value.error());
    if (*value != 0) return expand(lines, open + 1, block.middle);
    return block.middle == block.end ? std::nullopt : expand(lines, block.middle + 1, block.end);
  }

  std::optional<Error> expand_repeat(const std::vector<Line>& lines, std::size_t open,
                                     const Block& block, std::string_view argument) {
    const auto blank = argument.find_first_of(" \t");
    if (blank == std::string_view::npos) return error_at(lines[open], "#repeat takes NAME COUNT");
    const std::string variable(argument.substr(0, blank));
    if (values_.contains(variable)) {
      return error_at(lines[open], "'" + variable + "' has a value already");
    }
    const auto count = Expression(argument.substr(blank), values_).evaluate();
    if (!count) return error_at(lines[open], count.error());
    for (std::int64_t k = 0; k < *count; ++k) {
      values_[variable] = k;
      if (auto error = expand(lines, open + 1, block.end)) return error;
    }
    values_.erase(variable);
    return std::nullopt;
  }

  std::optional<Error> substitute(const Line& line) {
    std::string_view rest = line.text;
    for (;;) {
      const auto dollar = rest.find('$');
      output += rest.substr(0, dollar);
      if (dollar == std::string_view::npos) break;
      rest.remove_prefix(dollar + 1);
      std::string_view expression;
      if (rest.starts_with('{')) {
        const auto close = rest.find('}');
        if (close == std::string_view::npos) return error_at(line, "missing '}'");
        expression = rest.substr(1, close - 1);
        rest.remove_prefix(close + 1);
      } else {
        std::size_t end = 0;
        while (end < rest.size() && is_name_char(rest[end])) ++end;
        expression = rest.substr(0, end);
        rest.remove_prefix(end);
      }
      const auto value = Expression(expression, values_).evaluate();
      if (!value) return error_at(line, value.error());
      output += std::to_string(*value);
    }
    output += '\n';
    return std::nullopt;
  }

  Values values_;
  const FileLookup& lookup_;
  std::set<std::string, std::less<>> included_;
};

}  // namespace

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

Result<std::string> preprocess(std::string_view path, const Values& values,
                               const FileLookup& lookup) {
  Preprocessor preprocessor(values, lookup);
  if (auto error = preprocessor.include(path, Line{path, 0, {}})) {
    return std::unexpected{std::move(*error)};
  }
  return std::move(preprocessor.output);
}

Result<std::string> preprocess(std::string_view path, const Values& values) {
  return preprocess(path, values, [](std::string_view wanted) -> std::optional<std::string_view> {
    for (std::size_t i = 0; i < kernel_file_count; ++i) {
      if (kernel_files[i].path == wanted) return kernel_files[i].text;
    }
    return std::nullopt;
  });
}

}  // namespace cumulo::plan

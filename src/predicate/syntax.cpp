#include "predicate/syntax.hpp"

#include <array>
#include <optional>
#include <utility>

#include "predicate/nearest.hpp"
#include "predicate/token.hpp"

namespace cumulo::predicate {
namespace {

constexpr std::size_t deepest = 100;
constexpr std::size_t most_branches = 2000;

using Sign = std::pair<std::string_view, Form>;
constexpr std::array<Sign, 1> disjunctions{{{"or", Form::either}}};
constexpr std::array<Sign, 1> conjunctions{{{"and", Form::both}}};
constexpr std::array<Sign, 6> comparisons{{{"<", Form::less},
                                           {"<=", Form::less_equal},
                                           {">", Form::greater},
                                           {">=", Form::greater_equal},
                                           {"==", Form::equal},
                                           {"!=", Form::not_equal}}};
constexpr std::array<Sign, 2> sums{{{"+", Form::add}, {"-", Form::subtract}}};
constexpr std::array<Sign, 4> products{
    {{"*", Form::multiply}, {"/", Form::divide}, {"//", Form::floor_divide}, {"%", Form::modulo}}};

using Index = Checked<std::uint32_t>;

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Checked<Tree> run() {
    if (token().kind == TokenKind::end) return fault("there is no condition");
    auto root = condition();
    if (!root) return std::unexpected{std::move(root.error())};
    if (is_sign(")")) return fault("this ) closes nothing");
    if (token().kind != TokenKind::end) {
      return fault("an operator or the end was expected, not " + shown() + hint());
    }
    return std::move(tree_);
  }

 private:
  const Token& token() const { return tokens_[at_]; }
  bool is_sign(std::string_view sign) const {
    return token().kind == TokenKind::sign && token().text == sign;
  }
  std::string shown() const {
    return token().kind == TokenKind::end ? "the end" : "'" + token().text + "'";
  }
  // What was probably meant where an operator is missing.
  std::string hint() const {
    const bool is_name = token().kind == TokenKind::name && !token().quoted;
    const bool after_name =
        at_ > 0 && tokens_[at_ - 1].kind == TokenKind::name && !tokens_[at_ - 1].quoted;
    if (is_sign("(") && after_name) return "; there are no functions";
    static const std::string between[] = {"and", "or"};
    static const std::string before[] = {"not"};
    std::string meant = is_name ? nearest(token().text, between) : "";
    if (meant.empty() && after_name) meant = nearest(tokens_[at_ - 1].text, before);
    if (!meant.empty()) return "; did you mean " + meant + "?";
    return "";
  }
  std::unexpected<Fault> fault(std::string what) const {
    return std::unexpected{Fault{token().offset, std::move(what)}};
  }

  template <std::size_t n>
  std::optional<Form> take_one_of(const std::array<Sign, n>& signs) {
    for (const auto& [sign, form] : signs) {
      if (!is_sign(sign)) continue;
      ++at_;
      return form;
    }
    return std::nullopt;
  }

  Index add(Branch branch) {
    if (tree_.size() == most_branches) {
      return std::unexpected{Fault{branch.offset, "the predicate has more than " +
                                                      std::to_string(most_branches) +
                                                      " numbers, names and operators"}};
    }
    tree_.push_back(std::move(branch));
    return static_cast<std::uint32_t>(tree_.size() - 1);
  }

  // operand { sign operand }, from left to right.
  template <std::size_t n, class Operand>
  Index joined(const std::array<Sign, n>& signs, Operand&& operand) {
    Index left = operand();
    while (left) {
      const std::size_t offset = token().offset;
      const auto form = take_one_of(signs);
      if (!form) break;
      const Index right = operand();
      if (!right) return right;
      left = add({*form, offset, tree_[*left].first, *left, *right});
    }
    return left;
  }

  Index condition() {
    return joined(disjunctions, [&] { return conjunction(); });
  }
  Index conjunction() {
    return joined(conjunctions, [&] { return negation(); });
  }
  Index sum() {
    return joined(sums, [&] { return product(); });
  }
  Index product() {
    return joined(products, [&] { return factor(); });
  }

  template <class Inner>
  Index nested(Inner&& inner) {
    if (depth_ == deepest) {
      return fault("the predicate is nested deeper than " + std::to_string(deepest));
    }
    ++depth_;
    Index index = inner();
    --depth_;
    return index;
  }

  Index prefixed(Form form, std::size_t offset, const Index& operand) {
    if (!operand) return operand;
    return add({form, offset, offset, *operand});
  }

  Index negation() {
    if (!is_sign("not")) return comparison();
    const std::size_t offset = token().offset;
    ++at_;
    return prefixed(Form::invert, offset, nested([&] { return negation(); }));
  }

  Index comparison() {
    Index left = sum();
    if (!left) return left;
    std::optional<std::uint32_t> all;
    while (true) {
      const std::size_t offset = token().offset;
      const auto form = take_one_of(comparisons);
      if (!form) break;
      const Index right = sum();
      if (!right) return right;
      const std::size_t first = tree_[*left].first;
      Index compared = add({*form, offset, first, *left, *right});
      if (compared && all) compared = add({Form::both, offset, tree_[*all].first, *all, *compared});
      if (!compared) return compared;
      all = *compared;
      left = right;
    }
    return all ? Index{*all} : left;
  }

  Index factor() {
    const Token& here = token();
    const std::size_t offset = here.offset;
    switch (here.kind) {
      case TokenKind::integer: ++at_; return add({Form::integer, offset, offset, 0, 0, here.text});
      case TokenKind::real: ++at_; return add({Form::real, offset, offset, 0, 0, here.text});
      case TokenKind::name:
        ++at_;
        return add({Form::name, offset, offset, 0, 0, here.text, here.quoted});
      case TokenKind::end: return fault("a number, a name or ( is missing here");
      case TokenKind::sign: break;
    }
    if (is_sign("-")) {
      ++at_;
      return prefixed(Form::negate, offset, nested([&] { return factor(); }));
    }
    if (is_sign("+")) {
      ++at_;
      return nested([&] { return factor(); });
    }
    if (is_sign("not")) return fault("'not' stands before a whole comparison; use parentheses");
    if (!is_sign("(")) return fault("a number, a name or ( was expected, not " + shown());
    ++at_;
    Index inner = nested([&] { return condition(); });
    if (!inner) return inner;
    if (!is_sign(")")) {
      return std::unexpected{
          token().kind == TokenKind::end
              ? Fault{offset, "this ( is not closed"}
              : Fault{token().offset, "an operator or ) was expected, not " + shown() + hint()}};
    }
    ++at_;
    return inner;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  Tree tree_;
};

}  // namespace

Checked<Tree> parse(std::string_view text) {
  auto tokens = tokens_of(text);
  if (!tokens) return std::unexpected{std::move(tokens.error())};
  return Parser(std::move(*tokens)).run();
}

}  // namespace cumulo::predicate

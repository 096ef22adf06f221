#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "predicate/names.hpp"
#include "predicate/program.hpp"
#include "predicate/real.hpp"
#include "predicate/syntax.hpp"

namespace cumulo::predicate {
namespace {

double to_double(Wide value) { return static_cast<double>(value); }

// The neighbours of an integer among the floats of T: the largest not above it, the smallest not
// below it.
template <class T>
struct Between {
  T below;
  T above;
};
template <class T>
Between<T> between(Wide value) {
  const T near = static_cast<T>(value);
  // A magnitude of 2^127 is no Wide any more.
  const bool over = near >= T{0x1p127} || static_cast<Wide>(near) > value;
  const bool exact = !over && near > -T{0x1p127} && static_cast<Wide>(near) == value;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  if (exact) return {near, near};
  return over ? Between<T>{std::nextafter(near, -infinity), near}
              : Between<T>{near, std::nextafter(near, infinity)};
}

Between<double> widened(Between<float> floats) { return {floats.below, floats.above}; }

Wide clamped(double value) {
  if (beyond(value)) return value < 0 ? -most : most;
  return static_cast<Wide>(value);
}

using Index = Checked<std::uint32_t>;

class Compiler {
 public:
  Compiler(std::span<const PredicateColumn> columns, std::uint64_t most_index)
      : columns_(columns), most_index_(most_index) {}

  Checked<Program> run(std::string_view text) {
    const auto tree = parse(text);
    if (!tree) return std::unexpected{tree.error()};
    std::vector<std::uint32_t> made(tree->size());
    for (std::size_t k = 0; k < tree->size(); ++k) {
      const Branch& branch = (*tree)[k];
      const auto step = make(branch, *tree, made);
      if (!step) return std::unexpected{step.error()};
      made[k] = *step;
    }
    if (steps_[made.back()].kind != Kind::truth) {
      return std::unexpected{
          Fault{tree->back().first, "this is a number, not a condition; compare it, as in x != 0"}};
    }
    return without_unused(made.back());
  }

 private:
  static std::unexpected<Fault> fault(std::size_t offset, std::string what) {
    return std::unexpected{Fault{offset, std::move(what)}};
  }

  std::uint32_t add(Step step) {
    steps_.push_back(std::move(step));
    return static_cast<std::uint32_t>(steps_.size() - 1);
  }
  std::uint32_t add_truth(bool value) {
    return add({.operation = Operation::constant, .truth = value});
  }
  std::uint32_t add_integer(Wide value) {
    return add({.operation = Operation::constant,
                .kind = Kind::integer,
                .low = value,
                .high = value,
                .integer = value});
  }
  std::uint32_t add_real(Kind kind, double value) {
    return add({.operation = Operation::constant, .kind = kind, .real = value});
  }
  bool is_constant(std::uint32_t k) const { return steps_[k].operation == Operation::constant; }

  Index make(const Branch& branch, const Tree& tree, const std::vector<std::uint32_t>& made) {
    switch (branch.form) {
      case Form::integer: return integer(branch);
      case Form::real: return real(branch);
      case Form::name: return name(branch);
      default: break;
    }
    const std::uint32_t a = made[branch.a];
    const std::uint32_t b = made[branch.b];
    const bool joins = branch.form >= Form::both;
    const bool one = branch.form == Form::invert || branch.form == Form::negate;
    for (const std::uint32_t operand : {branch.a, one ? branch.a : branch.b}) {
      if ((steps_[made[operand]].kind == Kind::truth) == joins) continue;
      const std::string sign = "'" + std::string(word(branch.form)) + "'";
      return fault(tree[operand].first,
                   joins
                       ? sign + " takes conditions, and this is a number; compare it, as in x != 0"
                       : sign + " takes numbers, and this is a condition");
    }
    if (joins) return logic(branch.form, a, b);
    if (branch.form == Form::negate) return negate(a);
    if (branch.form >= Form::less) return compare(branch, a, b);
    return arithmetic(branch, a, b);
  }

  static std::string_view word(Form form) {
    switch (form) {
      case Form::negate:
      case Form::subtract: return "-";
      case Form::add: return "+";
      case Form::multiply: return "*";
      case Form::divide: return "/";
      case Form::floor_divide: return "//";
      case Form::modulo: return "%";
      case Form::less: return "<";
      case Form::less_equal: return "<=";
      case Form::greater: return ">";
      case Form::greater_equal: return ">=";
      case Form::equal: return "==";
      case Form::not_equal: return "!=";
      case Form::both: return "and";
      case Form::either: return "or";
      default: return "not";
    }
  }

  // ---- numbers and names

  Index integer(const Branch& branch) {
    const bool hex = branch.text.starts_with("0x") || branch.text.starts_with("0X");
    const unsigned base = hex ? 16 : 10;
    Wide value = 0;
    for (const char c : std::string_view(branch.text).substr(hex ? 2 : 0)) {
      const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
      if (__builtin_mul_overflow(value, Wide{base}, &value) ||
          __builtin_add_overflow(value, Wide{digit}, &value)) {
        return fault(branch.offset, "this integer needs more than 127 bits");
      }
    }
    return add_integer(value);
  }

  Index real(const Branch& branch) {
    const auto value = real_of(branch.text);
    if (!value) return fault(branch.offset, "this number is outside the range of f64");
    return add_real(Kind::f64, *value);
  }

  Index name(const Branch& branch) {
    std::vector<std::string> names;
    for (const PredicateColumn& column : columns_) names.push_back(column.name);
    const auto place = find_name(branch, names);
    if (!place) return std::unexpected{place.error()};
    if (!*place) {
      return add({.operation = Operation::index, .kind = Kind::integer, .high = most_index_});
    }
    const PredicateColumn& column = columns_[**place];
    if (column.words > 0) {
      return fault(branch.offset, "'" + branch.text + "' holds structs, not numbers");
    }
    if (column.type == Type::f16) {
      return fault(branch.offset, "'" + branch.text + "' is f16, which predicates do not read");
    }
    Step step{.operation = Operation::column,
              .kind = Kind::integer,
              .column = static_cast<std::uint32_t>(**place)};
    with_type(column.type, [&]<class T>() {
      if constexpr (std::is_integral_v<T>) {
        step.low = std::numeric_limits<T>::min();
        step.high = std::numeric_limits<T>::max();
      } else {
        step.kind = std::is_same_v<T, float> ? Kind::f32 : Kind::f64;
      }
    });
    return add(std::move(step));
  }

  // ---- logic

  Index logic(Form form, std::uint32_t a, std::uint32_t b) {
    if (form == Form::invert) {
      if (is_constant(a)) return add_truth(!steps_[a].truth);
      return add({.operation = Operation::invert, .a = a});
    }
    const bool both = form == Form::both;
    for (const auto& [one, other] : {std::pair{a, b}, std::pair{b, a}}) {
      if (is_constant(one)) return steps_[one].truth == both ? other : one;
    }
    return add({.operation = both ? Operation::both : Operation::either, .a = a, .b = b});
  }

  // ---- arithmetic

  std::uint32_t negate(std::uint32_t a) {
    const Step operand = steps_[a];
    if (operand.kind == Kind::integer) {
      if (is_constant(a)) return add_integer(-operand.integer);
      return add({.operation = Operation::negate,
                  .kind = Kind::integer,
                  .a = a,
                  .low = -operand.high,
                  .high = -operand.low,
                  .divisors = operand.divisors});
    }
    if (is_constant(a)) return add_real(operand.kind, -operand.real);
    return add({.operation = Operation::negate, .kind = operand.kind, .a = a});
  }

  // A number as a float of the kind: constants are rounded to it, others only widened.
  Index as_float(std::uint32_t k, Kind kind, std::size_t offset) {
    const Step step = steps_[k];
    if (is_constant(k)) {
      double value = step.kind == Kind::integer ? to_double(step.integer) : step.real;
      if (kind == Kind::f32) {
        const float narrow = step.kind == Kind::integer ? static_cast<float>(step.integer)
                                                        : static_cast<float>(value);
        if (std::isinf(narrow) && !std::isinf(value)) {
          return fault(offset, "a number here is outside the range of f32");
        }
        value = narrow;
      }
      return add_real(kind, value);
    }
    if (step.kind == kind) return k;
    return add({.operation = Operation::to_f64, .kind = Kind::f64, .a = k});
  }

  // f32 where an f32 meets an f32 or a constant; integers that are no constants take f64.
  Kind float_of(std::uint32_t a, std::uint32_t b) const {
    bool narrow = false;
    for (const std::uint32_t k : {a, b}) {
      if (is_constant(k)) continue;
      if (steps_[k].kind != Kind::f32) return Kind::f64;
      narrow = true;
    }
    return narrow ? Kind::f32 : Kind::f64;
  }

  static double folded(Form form, double a, double b) {
    switch (form) {
      case Form::add: return a + b;
      case Form::subtract: return a - b;
      case Form::multiply: return a * b;
      default: return a / b;
    }
  }

  static Operation operation_of(Form form) {
    switch (form) {
      case Form::add: return Operation::add;
      case Form::subtract: return Operation::subtract;
      case Form::multiply: return Operation::multiply;
      case Form::divide: return Operation::divide;
      case Form::floor_divide: return Operation::floor_divide;
      default: return Operation::modulo;
    }
  }

  bool is_zero(std::uint32_t k) const {
    const Step& step = steps_[k];
    return is_constant(k) && (step.kind == Kind::integer ? step.integer == 0 : step.real == 0);
  }

  Index arithmetic(const Branch& branch, std::uint32_t a, std::uint32_t b) {
    const bool integers = steps_[a].kind == Kind::integer && steps_[b].kind == Kind::integer;
    const bool divides = branch.form == Form::divide || branch.form == Form::floor_divide ||
                         branch.form == Form::modulo;
    if (divides && is_zero(b)) return fault(branch.offset, "division by zero");
    if (integers && branch.form != Form::divide) return integer_arithmetic(branch, a, b);
    if (branch.form == Form::floor_divide || branch.form == Form::modulo) {
      return fault(branch.offset, "'" + std::string(word(branch.form)) +
                                      "' is for integers, and one side is a float");
    }
    if (is_constant(a) && is_constant(b)) {
      const auto value = [&](const Step& s) {
        return s.kind == Kind::integer ? to_double(s.integer) : s.real;
      };
      return add_real(Kind::f64, folded(branch.form, value(steps_[a]), value(steps_[b])));
    }
    const Kind kind = float_of(a, b);
    const Index left = as_float(a, kind, branch.offset);
    if (!left) return left;
    const Index right = as_float(b, kind, branch.offset);
    if (!right) return right;
    return add({.operation = operation_of(branch.form), .kind = kind, .a = *left, .b = *right});
  }

  Index integer_arithmetic(const Branch& branch, std::uint32_t a, std::uint32_t b) {
    const Step x = steps_[a];
    const Step y = steps_[b];
    const auto bounds = integer_bounds(branch.form, x, y);
    if (!bounds) {
      return fault(branch.offset,
                   "this can need more than 127 bits, which are the most that "
                   "integers have here; make one side a float, as in 1.0 * x");
    }
    const auto [low, high] = *bounds;
    if (is_constant(a) && is_constant(b)) return add_integer(low);
    Step step{.operation = operation_of(branch.form),
              .kind = Kind::integer,
              .a = a,
              .b = b,
              .low = low,
              .high = high,
              .divisors = x.divisors};
    step.divisors.insert(step.divisors.end(), y.divisors.begin(), y.divisors.end());
    const bool divides = branch.form == Form::floor_divide || branch.form == Form::modulo;
    if (divides && y.low <= 0 && y.high >= 0) step.divisors.push_back(b);
    std::ranges::sort(step.divisors);
    const auto again = std::ranges::unique(step.divisors);
    step.divisors.erase(again.begin(), again.end());
    return add(std::move(step));
  }

  using Bounds = std::optional<std::pair<Wide, Wide>>;

  template <class Combine>
  static Bounds corners(const Step& x, const Step& y, Combine&& combine) {
    Wide low = most;
    Wide high = -most;
    for (const Wide p : {x.low, x.high}) {
      for (const Wide q : {y.low, y.high}) {
        Wide value = 0;
        if (combine(p, q, &value) || value < -most) return std::nullopt;
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
    return std::pair{low, high};
  }

  static Bounds integer_bounds(Form form, const Step& x, const Step& y) {
    const auto add = [](Wide p, Wide q, Wide* r) { return __builtin_add_overflow(p, q, r); };
    const auto subtract = [](Wide p, Wide q, Wide* r) { return __builtin_sub_overflow(p, q, r); };
    const auto multiply = [](Wide p, Wide q, Wide* r) { return __builtin_mul_overflow(p, q, r); };
    switch (form) {
      case Form::add: return corners(x, y, add);
      case Form::subtract: return corners(x, y, subtract);
      case Form::multiply: return corners(x, y, multiply);
      default: break;
    }
    if (x.low == x.high && y.low == y.high && y.low != 0) {
      const Wide value = form == Form::modulo ? modulo(x.low, y.low) : floor_divide(x.low, y.low);
      return std::pair{value, value};
    }
    if (form == Form::modulo) {
      const Wide low = std::min<Wide>(y.low + 1, 0);
      Wide high = std::max<Wide>(y.high - 1, 0);
      if (x.low >= 0 && y.low >= 0) high = std::min(high, x.high);
      return std::pair{low, high};
    }
    if (y.low > 0) {
      // Monotone in both.
      return std::pair{std::min(floor_divide(x.low, y.low), floor_divide(x.low, y.high)),
                       std::max(floor_divide(x.high, y.low), floor_divide(x.high, y.high))};
    }
    const Wide largest = std::max({x.high, -x.low, Wide{0}});
    return std::pair{x.low >= 0 && y.low >= 0 ? Wide{0} : -largest, largest};
  }

  // ---- comparisons

  Index compare(const Branch& branch, std::uint32_t a, std::uint32_t b) {
    Form form = branch.form;
    // A constant stands on the right.
    if (is_constant(a) && !is_constant(b)) {
      std::swap(a, b);
      form = mirrored(form);
    }
    const Kind left = steps_[a].kind;
    const Kind right = steps_[b].kind;
    if (is_constant(a)) return add_truth(constants_compare(form, steps_[a], steps_[b]));
    if (left == Kind::integer && right == Kind::integer) return compare_integers(form, a, b);
    if (is_constant(b)) {
      if (left == Kind::integer) return compare_with_real(form, a, steps_[b].real);
      if (right == Kind::integer) return compare_with_integer(form, a, steps_[b].integer);
      const Index constant = as_float(b, left, branch.offset);
      if (!constant) return constant;
      return add_comparison(form, a, *constant);
    }
    if (left == right) return add_comparison(form, a, b);
    // f64 holds every f32, and integers of up to 53 bits.
    return add_comparison(form, as_f64(a), as_f64(b));
  }

  std::uint32_t as_f64(std::uint32_t k) {
    const Step& step = steps_[k];
    constexpr Wide exact = Wide{1} << 53;
    if (step.kind == Kind::f64) return k;
    if (step.kind == Kind::integer && (step.low < -exact || step.high > exact)) return k;
    return add({.operation = Operation::to_f64, .kind = Kind::f64, .a = k});
  }

  static Form mirrored(Form form) {
    switch (form) {
      case Form::less: return Form::greater;
      case Form::less_equal: return Form::greater_equal;
      case Form::greater: return Form::less;
      case Form::greater_equal: return Form::less_equal;
      default: return form;
    }
  }

  template <class T>
  static bool holds(Form form, T a, T b) {
    switch (form) {
      case Form::less: return a < b;
      case Form::less_equal: return a <= b;
      case Form::greater: return a > b;
      case Form::greater_equal: return a >= b;
      case Form::equal: return a == b;
      default: return a != b;
    }
  }

  // An integer compared with a float is compared with the integers next to it.
  static bool constants_compare(Form form, const Step& a, const Step& b) {
    if (a.kind == Kind::integer && b.kind == Kind::integer)
      return holds(form, a.integer, b.integer);
    if (a.kind != Kind::integer && b.kind != Kind::integer) return holds(form, a.real, b.real);
    if (a.kind != Kind::integer) return constants_compare(mirrored(form), b, a);
    const double c = b.real;
    if (std::isnan(c)) return form == Form::not_equal;
    if (beyond(c)) return holds(form, 0.0, c);
    const Wide below = static_cast<Wide>(std::floor(c));
    if (a.integer == below) return holds(form, std::floor(c), c);
    return holds(form, a.integer, below);
  }

  // Greater is less with the sides exchanged.
  std::uint32_t add_comparison(Form form, std::uint32_t a, std::uint32_t b) {
    if (form == Form::greater || form == Form::greater_equal) {
      std::swap(a, b);
      form = mirrored(form);
    }
    const Operation operation = form == Form::less         ? Operation::less
                                : form == Form::less_equal ? Operation::less_equal
                                : form == Form::equal      ? Operation::equal
                                                           : Operation::not_equal;
    return add({.operation = operation, .a = a, .b = b});
  }

  // Known at once where the bounds say it, and every element has a value.
  std::uint32_t compare_integers(Form form, std::uint32_t a, std::uint32_t b) {
    const Step& x = steps_[a];
    const Step& y = steps_[b];
    if (x.divisors.empty() && y.divisors.empty()) {
      if (x.high < y.low) return add_truth(holds(form, 0, 1));
      if (x.low > y.high) return add_truth(holds(form, 1, 0));
      if (x.high == y.low && (form == Form::less_equal || form == Form::greater)) {
        return add_truth(form == Form::less_equal);
      }
      if (x.low == y.high && (form == Form::greater_equal || form == Form::less)) {
        return add_truth(form == Form::greater_equal);
      }
    }
    return add_comparison(form, a, b);
  }

  std::uint32_t never(Form form) { return add_truth(form == Form::not_equal); }

  std::uint32_t compare_with_real(Form form, std::uint32_t a, double c) {
    if (std::isnan(c)) return never(form);
    const double whole =
        form == Form::less || form == Form::greater_equal ? std::ceil(c) : std::floor(c);
    if ((form == Form::equal || form == Form::not_equal) && whole != c) return never(form);
    if (beyond(whole)) {
      // Beyond all integers, which never equal it.
      if (form == Form::equal || form == Form::not_equal) return never(form);
      if (form == Form::less) form = Form::less_equal;
      if ((whole > 0) != (form == Form::less_equal)) return add_truth(false);
      if (steps_[a].divisors.empty()) return add_truth(true);
      // False where there is no value.
      return add_comparison(Form::less_equal, a, add_integer(most));
    }
    return compare_integers(form, a, add_integer(clamped(whole)));
  }

  std::uint32_t compare_with_integer(Form form, std::uint32_t a, Wide c) {
    const Kind kind = steps_[a].kind;
    const Between<double> bounds =
        kind == Kind::f32 ? widened(between<float>(c)) : between<double>(c);
    const auto [below, above] = bounds;
    if (below != above && (form == Form::equal || form == Form::not_equal)) return never(form);
    const bool up = form == Form::less || form == Form::greater_equal;
    return add_comparison(form, a, add_real(kind, up ? above : below));
  }

  // ---- the end

  // Steps that the last one does not need are left out.
  Program without_unused(std::uint32_t last) {
    std::vector<bool> used(steps_.size(), false);
    used[last] = true;
    for (std::size_t k = last + 1; k-- > 0;) {
      if (!used[k]) continue;
      const Step& step = steps_[k];
      const int operands = operand_count(step.operation);
      if (operands > 0) used[step.a] = true;
      if (operands > 1) used[step.b] = true;
      for (const std::uint32_t divisor : step.divisors) used[divisor] = true;
    }
    Program program;
    std::vector<std::uint32_t> place(steps_.size(), 0);
    for (std::size_t k = 0; k <= last; ++k) {
      if (!used[k]) continue;
      Step step = steps_[k];
      step.a = place[step.a];
      step.b = place[step.b];
      for (std::uint32_t& divisor : step.divisors) divisor = place[divisor];
      place[k] = static_cast<std::uint32_t>(program.size());
      program.push_back(std::move(step));
    }
    return program;
  }

  std::span<const PredicateColumn> columns_;
  std::uint64_t most_index_;
  Program steps_;
};

}  // namespace

int operand_count(Operation operation) {
  switch (operation) {
    case Operation::column:
    case Operation::index:
    case Operation::constant: return 0;
    case Operation::to_f64:
    case Operation::negate:
    case Operation::invert: return 1;
    default: return 2;
  }
}

Checked<Program> compile(std::string_view text, std::span<const PredicateColumn> columns,
                         std::uint64_t most_index) {
  return Compiler(columns, most_index).run(text);
}

}  // namespace cumulo::predicate

#include "random_predicate.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace cumulo::test {
namespace {

using Random = std::mt19937_64;
using Kind = Value::Kind;

std::size_t pick(std::size_t n, Random& random) {
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}

template <class T>
T random_value(Random& random) {
  using Limits = std::numeric_limits<T>;
  const auto small =
      static_cast<T>(static_cast<std::int64_t>(pick(13, random)) - (Limits::is_signed ? 6 : 0));
  switch (pick(6, random)) {
    case 0: {
      const T edges[] = {Limits::lowest(), Limits::max(), T(Limits::max() - T{1}), T{1}, T{0}};
      return edges[pick(5, random)];
    }
    case 1: {
      T bits;
      const std::uint64_t word = random();
      std::memcpy(&bits, &word, sizeof bits);
      return bits;
    }
    case 2:
      if constexpr (std::is_floating_point_v<T>) {
        const T edges[] = {Limits::infinity(),
                           -Limits::infinity(),
                           Limits::quiet_NaN(),
                           T{-0.0},
                           Limits::denorm_min(),
                           Limits::min(),
                           T(0.1),
                           T(16777216)};
        return edges[pick(8, random)];
      } else {
        const std::uint64_t edges[] = {16777217, 9007199254740993, 0x7fffffff, 0x80000000};
        return static_cast<T>(edges[pick(4, random)]);
      }
    case 3:
      if constexpr (std::is_floating_point_v<T>) return small + T(0.5);
      return small;
    default: return small;
  }
}

Value integer(Wide value) { return {.kind = Kind::integer, .integer = value}; }
Value real(Kind kind, double value) { return {.kind = kind, .real = value}; }
Value truth(bool value) { return {.kind = Kind::truth, .truth = value}; }

struct Literal {
  const char* text;
  Value value;
};

const Literal literals[] = {
    {"0", integer(0)},
    {"1", integer(1)},
    {"2", integer(2)},
    {"3", integer(3)},
    {"7", integer(7)},
    {"0x10", integer(16)},
    {"16777217", integer(16777217)},
    {"2147483648", integer(2147483648)},
    {"4294967295", integer(4294967295)},
    {"9007199254740993", integer(9007199254740993)},
    {"18446744073709551615", integer(Wide{18446744073709551615U})},
    {"18446744073709551616", integer(Wide{1} << 64)},
    {"0.5", real(Kind::f64, 0.5)},
    {".1", real(Kind::f64, 0.1)},
    {"2.", real(Kind::f64, 2)},
    {"1e6", real(Kind::f64, 1e6)},
    {"1.5e-3", real(Kind::f64, 1.5e-3)},
    {"1e-45", real(Kind::f64, 1e-45)},
    {"3e38", real(Kind::f64, 3e38)},
    {"1E+9", real(Kind::f64, 1e9)},
};

std::unique_ptr<Node> random_number(const Table& table, int depth, bool whole, Random& random);

std::unique_ptr<Node> leaf(const Table& table, bool whole, Random& random) {
  auto node = std::make_unique<Node>();
  while (true) {
    if (pick(3, random) == 0) {
      const Literal& literal = literals[pick(std::size(literals), random)];
      if (whole && literal.value.kind != Kind::integer) continue;
      node->column = -1;
      node->text = literal.text;
      node->literal = literal.value;
      node->literal.literal = true;
      return node;
    }
    const std::size_t column = pick(table.columns.size() + 1, random);
    node->column = static_cast<int>(column);
    if (column == table.columns.size()) {
      node->text = "i";
      return node;
    }
    if (whole && is_float(table.columns[column].type)) continue;
    const std::string& name = table.columns[column].name;
    node->text = name.find(' ') == std::string::npos ? name : "`" + name + "`";
    return node;
  }
}

std::unique_ptr<Node> joined(std::string sign, std::unique_ptr<Node> a, std::unique_ptr<Node> b) {
  auto node = std::make_unique<Node>();
  node->sign = std::move(sign);
  node->a = std::move(a);
  node->b = std::move(b);
  return node;
}

std::unique_ptr<Node> random_number(const Table& table, int depth, bool whole, Random& random) {
  if (depth == 0 || pick(4, random) == 0) return leaf(table, whole, random);
  const auto number = [&](bool is_whole) {
    return random_number(table, depth - 1, is_whole, random);
  };
  switch (pick(whole ? 6 : 7, random)) {
    case 0: return joined("negate", number(whole), nullptr);
    case 1: return joined("+", number(whole), number(whole));
    case 2: return joined("-", number(whole), number(whole));
    case 3: return joined("*", number(whole), number(whole));
    case 4: return joined("//", number(true), number(true));
    case 5: return joined("%", number(true), number(true));
    default: return joined("/", number(false), number(false));
  }
}

Value compared(const std::string& sign, int order) {
  // order: -1, 0, 1, or 2 where the two cannot be ordered.
  if (sign == "<") return truth(order == -1);
  if (sign == "<=") return truth(order == -1 || order == 0);
  if (sign == ">") return truth(order == 1);
  if (sign == ">=") return truth(order == 1 || order == 0);
  return truth((order == 0) == (sign == "=="));
}

template <class T>
int order_of(T a, T b) {
  return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
}

int exact_order(Wide a, double b) {
  if (std::isnan(b)) return 2;
  if (b >= 0x1p127) return -1;
  if (b <= -0x1p127) return 1;
  const double whole = std::trunc(b);
  if (a != static_cast<Wide>(whole)) return order_of(a, static_cast<Wide>(whole));
  return order_of(0.0, b - whole);
}

// The number as a float: of literals the nearest, else as it is.
double as_double(const Value& v) {
  if (v.kind == Kind::none) return std::numeric_limits<double>::quiet_NaN();
  return v.kind == Kind::integer ? static_cast<double>(v.integer) : v.real;
}
float as_float(const Value& v) {
  return v.kind == Kind::integer ? static_cast<float>(v.integer) : static_cast<float>(v.real);
}

Value compare(const std::string& sign, const Value& a, const Value& b) {
  const auto whole = [](const Value& v) { return v.kind == Kind::integer; };
  if (a.kind == Kind::none || b.kind == Kind::none) return compared(sign, 2);
  if (whole(a) && whole(b)) return compared(sign, order_of(a.integer, b.integer));
  if (whole(a)) return compared(sign, exact_order(a.integer, b.real));
  if (whole(b)) {
    const int order = exact_order(b.integer, a.real);
    return compared(sign, order == 2 ? 2 : -order);
  }
  const bool narrow = (a.kind == Kind::f32 && b.literal) || (b.kind == Kind::f32 && a.literal);
  if (narrow) return compared(sign, order_of(as_float(a), as_float(b)));
  return compared(sign, order_of(a.real, b.real));
}

template <class T>
T calculated(const std::string& sign, T a, T b) {
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  return a / b;
}

Value whole_arithmetic(const std::string& sign, Wide a, Wide b) {
  if (sign == "//" || sign == "%") {
    if (b == 0) return {};
    // The floor, by the rest that is never negative against a positive divisor.
    const Wide positive = b < 0 ? -b : b;
    const Wide turned = b < 0 ? -a : a;
    const Wide beyond = turned % positive;  // towards zero
    const Wide rest = beyond < 0 ? beyond + positive : beyond;
    return integer(sign == "%" ? (b < 0 ? -rest : rest) : turned / positive - (beyond < 0 ? 1 : 0));
  }
  // What does not fit 128 bits wraps, as it does in two's complement.
  __extension__ using Unsigned = unsigned __int128;
  return integer(
      static_cast<Wide>(calculated(sign, static_cast<Unsigned>(a), static_cast<Unsigned>(b))));
}

Value arithmetic(const std::string& sign, const Value& a, const Value& b) {
  const auto whole = [](const Value& v) { return v.kind == Kind::integer || v.kind == Kind::none; };
  Value result;
  if (whole(a) && whole(b) && sign != "/") {
    if (a.kind != Kind::none && b.kind != Kind::none) {
      result = whole_arithmetic(sign, a.integer, b.integer);
    }
  } else if ((a.kind == Kind::f32 || a.literal) && (b.kind == Kind::f32 || b.literal) &&
             !(a.literal && b.literal)) {
    result = real(Kind::f32, calculated(sign, as_float(a), as_float(b)));
  } else {
    result = real(Kind::f64, calculated(sign, as_double(a), as_double(b)));
  }
  result.literal = a.literal && b.literal;
  return result;
}

}  // namespace

Table random_table(std::size_t rows, Random& random) {
  Table table;
  table.rows = rows;
  table.columns = {{"x", Type::u32}, {"y", Type::i32}, {"f", Type::f32},       {"u", Type::u64},
                   {"v", Type::i64}, {"d", Type::f64}, {"odd name", Type::f32}};
  for (const PredicateColumn& column : table.columns) {
    std::vector<std::byte>& bytes = table.bytes.emplace_back(rows * size_of(column.type));
    with_type(column.type, [&]<class T>() {
      for (std::size_t row = 0; row < rows; ++row) {
        const T value = random_value<T>(random);
        std::memcpy(bytes.data() + row * sizeof(T), &value, sizeof(T));
      }
    });
  }
  return table;
}

std::unique_ptr<Node> random_condition(const Table& table, int depth, Random& random) {
  static const char* const signs[] = {"<", "<=", ">", ">=", "==", "!="};
  const std::size_t choice = depth == 0 ? 5 : pick(6, random);
  const auto condition = [&] { return random_condition(table, depth - 1, random); };
  if (choice == 0) return joined("and", condition(), condition());
  if (choice == 1) return joined("or", condition(), condition());
  if (choice == 2) return joined("not", condition(), nullptr);
  return joined(signs[pick(6, random)], random_number(table, depth, false, random),
                random_number(table, depth, false, random));
}

std::string text_of(const Node& node) {
  if (node.sign.empty()) return node.text;
  if (node.sign == "negate") return "-(" + text_of(*node.a) + ")";
  if (node.sign == "not") return "not (" + text_of(*node.a) + ")";
  return "(" + text_of(*node.a) + ") " + node.sign + " (" + text_of(*node.b) + ")";
}

Value value_of(const Node& node, const Table& table, std::size_t row) {
  if (node.sign.empty()) {
    if (node.column < 0) return node.literal;
    const auto column = static_cast<std::size_t>(node.column);
    if (column == table.columns.size()) return integer(static_cast<Wide>(row));
    return with_type(table.columns[column].type, [&]<class T>() {
      T value;
      std::memcpy(&value, table.bytes[column].data() + row * sizeof(T), sizeof(T));
      if constexpr (std::is_integral_v<T>) return integer(value);
      return real(sizeof(T) == 4 ? Kind::f32 : Kind::f64, static_cast<double>(value));
    });
  }
  const Value a = value_of(*node.a, table, row);
  if (node.sign == "not") return truth(!a.truth);
  if (node.sign == "negate") {
    Value negative = a;
    negative.integer = -a.integer;
    negative.real = -a.real;
    return negative;
  }
  const Value b = value_of(*node.b, table, row);
  if (node.sign == "and") return truth(a.truth && b.truth);
  if (node.sign == "or") return truth(a.truth || b.truth);
  for (const char* const sign : {"<", "<=", ">", ">=", "==", "!="}) {
    if (node.sign == sign) return compare(node.sign, a, b);
  }
  return arithmetic(node.sign, a, b);
}

}  // namespace cumulo::test

#include "plan/predicate.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

#include "plan/preprocess.hpp"

namespace cumulo::plan {
namespace {

using predicate::Kind;
using predicate::Operation;
using predicate::Program;
using predicate::Step;
using predicate::Wide;

// How an integer is carried: the narrowest that holds all it can be.
enum class Carrier : std::uint8_t { u32, i32, wide };

bool fits_u32(const Step& s) {
  return s.low >= 0 && s.high <= std::numeric_limits<std::uint32_t>::max();
}
bool fits_i32(const Step& s) {
  return s.low >= std::numeric_limits<std::int32_t>::min() &&
         s.high <= std::numeric_limits<std::int32_t>::max();
}
Carrier carrier_of(const Step& s) {
  if (fits_u32(s)) return Carrier::u32;
  return fits_i32(s) ? Carrier::i32 : Carrier::wide;
}

std::string word(std::uint32_t value) { return std::to_string(value) + "u"; }

std::string wide_constant(Wide value) {
  std::string text = "vec4<u32>(";
  for (int k = 0; k < 4; ++k) {
    text += (k > 0 ? ", " : "") + word(static_cast<std::uint32_t>(value >> (32 * k)));
  }
  return text + ")";
}

std::string constant(const Step& s) {
  switch (s.kind) {
    case Kind::truth: return s.truth ? "true" : "false";
    case Kind::f32: return word(std::bit_cast<std::uint32_t>(static_cast<float>(s.real)));
    case Kind::f64: {
      const auto bits = std::bit_cast<std::uint64_t>(s.real);
      return "vec2<u32>(" + word(static_cast<std::uint32_t>(bits)) + ", " +
             word(static_cast<std::uint32_t>(bits >> 32)) + ")";
    }
    case Kind::integer: break;
  }
  switch (carrier_of(s)) {
    case Carrier::u32: return word(static_cast<std::uint32_t>(s.integer));
    case Carrier::i32: return "bitcast<i32>(" + word(static_cast<std::uint32_t>(s.integer)) + ")";
    case Carrier::wide: break;
  }
  return wide_constant(s.integer);
}

class Writer {
 public:
  Writer(const Program& program, std::span<const PredicateColumn> columns)
      : program_(program), columns_(columns) {}

  std::string body() const {
    std::string text;
    for (std::uint32_t k = 0; k < program_.size(); ++k) {
      if (program_[k].operation == Operation::constant) continue;
      text += "  let t" + std::to_string(k) + " = " + expression(program_[k]) + ";\n";
    }
    return text + "  return " + value(static_cast<std::uint32_t>(program_.size() - 1)) + ";";
  }

 private:
  std::string value(std::uint32_t k) const {
    if (program_[k].operation == Operation::constant) return constant(program_[k]);
    return "t" + std::to_string(k);
  }

  // The lowest 32 bits of an integer.
  std::string bits(std::uint32_t k) const {
    switch (carrier_of(program_[k])) {
      case Carrier::u32: return value(k);
      case Carrier::i32: return "bitcast<u32>(" + value(k) + ")";
      case Carrier::wide: break;
    }
    return value(k) + ".x";
  }

  // Of one that fits i32.
  std::string as_i32(std::uint32_t k) const {
    return carrier_of(program_[k]) == Carrier::i32 ? value(k) : "bitcast<i32>(" + bits(k) + ")";
  }

  std::string as_wide(std::uint32_t k) const {
    const Step& s = program_[k];
    if (s.operation == Operation::constant) return wide_constant(s.integer);
    switch (carrier_of(s)) {
      case Carrier::u32: return "keep_wide_of_u32(" + value(k) + ")";
      case Carrier::i32: return "keep_wide_of_i32(" + value(k) + ")";
      case Carrier::wide: break;
    }
    return value(k);
  }

  std::string is_nonzero(std::uint32_t k) const {
    if (carrier_of(program_[k]) != Carrier::wide) return bits(k) + " != 0u";
    return "any(" + value(k) + " != vec4<u32>())";
  }

  // Whether both operands have values: "true", or a condition in parentheses.
  std::string has_value(const Step& s) const {
    std::string text;
    const auto add = [&](const Step& operand) {
      for (const std::uint32_t divisor : operand.divisors) {
        text += (text.empty() ? "" : " && ") + is_nonzero(divisor);
      }
    };
    add(program_[s.a]);
    if (predicate::operand_count(s.operation) > 1) add(program_[s.b]);
    return text.empty() ? "true" : "(" + text + ")";
  }

  static std::string from_bits(Carrier carrier, const std::string& bits) {
    return carrier == Carrier::i32 ? "bitcast<i32>(" + bits + ")" : bits;
  }

  std::string expression(const Step& s) const {
    switch (s.operation) {
      case Operation::column: return column(s);
      case Operation::index: return carrier_of(s) == Carrier::u32 ? "i" : "keep_wide_of_u32(i)";
      case Operation::constant: return constant(s);
      case Operation::to_f64:
        if (program_[s.a].kind == Kind::f32) return "keep_f64_of_f32(" + value(s.a) + ")";
        return "keep_f64_of_wide(" + as_wide(s.a) + ", " + has_value(s) + ")";
      case Operation::both: return value(s.a) + " && " + value(s.b);
      case Operation::either: return value(s.a) + " || " + value(s.b);
      case Operation::invert: return "!" + value(s.a);
      case Operation::less:
      case Operation::less_equal:
      case Operation::equal:
      case Operation::not_equal: return comparison(s);
      default: break;
    }
    return s.kind == Kind::integer ? integer_arithmetic(s) : float_arithmetic(s);
  }

  std::string column(const Step& s) const {
    const std::string x = s.column == 0 ? "x" : "c" + std::to_string(s.column);
    switch (columns_[s.column].type) {
      case Type::f32: return "bitcast<u32>(" + x + ")";
      case Type::u64: return "keep_wide_of_u64(" + x + ")";
      case Type::i64: return "keep_wide_of_i64(" + x + ")";
      default: return x;
    }
  }

  static std::string name_of(Operation operation) {
    switch (operation) {
      case Operation::negate: return "negate";
      case Operation::add: return "add";
      case Operation::subtract: return "subtract";
      case Operation::multiply: return "multiply";
      case Operation::divide: return "divide";
      case Operation::floor_divide: return "floor_divide";
      case Operation::modulo: return "modulo";
      case Operation::less: return "less";
      case Operation::less_equal: return "less_equal";
      default: return "equal";
    }
  }

  std::string float_arithmetic(const Step& s) const {
    const std::string function =
        "keep_" + name_of(s.operation) + (s.kind == Kind::f32 ? "_f32(" : "_f64(");
    return function + value(s.a) + (s.operation == Operation::negate ? "" : ", " + value(s.b)) +
           ")";
  }

  std::string integer_arithmetic(const Step& s) const {
    const Carrier carrier = carrier_of(s);
    const Step& a = program_[s.a];
    const Step& b = program_[s.b];
    const std::string name = "keep_" + name_of(s.operation);
    const auto wide = [&] {
      const std::string result = name + "_wide(" + as_wide(s.a) +
                                 (s.operation == Operation::negate ? "" : ", " + as_wide(s.b)) +
                                 ")";
      return carrier == Carrier::wide ? result : from_bits(carrier, result + ".x");
    };
    if (s.operation == Operation::floor_divide || s.operation == Operation::modulo) {
      if (fits_u32(a) && fits_u32(b)) {
        return from_bits(carrier, name + "_u32(" + bits(s.a) + ", " + bits(s.b) + ")");
      }
      if (carrier != Carrier::wide && fits_i32(a) && fits_i32(b)) {
        return from_bits(carrier, name + "_i32(" + as_i32(s.a) + ", " + as_i32(s.b) + ")");
      }
      return wide();
    }
    if (carrier == Carrier::wide) return wide();
    // What fits 32 bits is right modulo 2^32, whatever its operands are.
    if (s.operation == Operation::negate) return from_bits(carrier, "0u - " + bits(s.a));
    const char* const sign = s.operation == Operation::add        ? " + "
                             : s.operation == Operation::subtract ? " - "
                                                                  : " * ";
    return from_bits(carrier, bits(s.a) + sign + bits(s.b));
  }

  std::string comparison(const Step& s) const {
    std::string text = plain_comparison(s);
    const std::string valid = has_value(s);
    // not_equal is the opposite of equal, with no value too.
    if (valid != "true") text = valid + " && " + text;
    return s.operation == Operation::not_equal ? "!(" + text + ")" : text;
  }

  // equal stands for not_equal as well.
  std::string plain_comparison(const Step& s) const {
    const Step& a = program_[s.a];
    const Step& b = program_[s.b];
    if (a.kind != b.kind) return mixed_comparison(s);
    if (a.kind == Kind::integer) return integer_comparison(s);
    return "keep_" + name_of(s.operation) + (a.kind == Kind::f32 ? "_f32(" : "_f64(") + value(s.a) +
           ", " + value(s.b) + ")";
  }

  std::string integer_comparison(const Step& s) const {
    const Step& a = program_[s.a];
    const Step& b = program_[s.b];
    const char* const sign = s.operation == Operation::less         ? " < "
                             : s.operation == Operation::less_equal ? " <= "
                                                                    : " == ";
    if (fits_u32(a) && fits_u32(b)) return "(" + bits(s.a) + sign + bits(s.b) + ")";
    if (fits_i32(a) && fits_i32(b)) return "(" + as_i32(s.a) + sign + as_i32(s.b) + ")";
    if (s.operation == Operation::less_equal) {
      return "!keep_less_wide(" + as_wide(s.b) + ", " + as_wide(s.a) + ")";
    }
    return "keep_" + name_of(s.operation) + "_wide(" + as_wide(s.a) + ", " + as_wide(s.b) + ")";
  }

  // keep_order(integer, f64) is -1, 0, 1, or 2 with NaN.
  std::string mixed_comparison(const Step& s) const {
    const bool integer_first = program_[s.a].kind == Kind::integer;
    const std::string order = integer_first
                                  ? "keep_order(" + as_wide(s.a) + ", " + value(s.b) + ")"
                                  : "keep_order(" + as_wide(s.b) + ", " + value(s.a) + ")";
    if (s.operation == Operation::less) return "(" + order + (integer_first ? " == -1)" : " == 1)");
    if (s.operation == Operation::less_equal) {
      // Of -1, 0, 1, 2: at most 0, or 0 and 1.
      return integer_first ? "(" + order + " <= 0)" : "((" + order + " >> 1u) == 0)";
    }
    return "(" + order + " == 0)";
  }

  const Program& program_;
  std::span<const PredicateColumn> columns_;
};

}  // namespace

Result<PredicateText> predicate_text(const Program& program,
                                     std::span<const PredicateColumn> columns) {
  PredicateText text{Writer(program, columns).body(), ""};
  if (text.body.find("keep_") == std::string::npos) return text;
  auto library = preprocess("lib/keep_float.wgsl", {});
  if (!library) return std::unexpected{std::move(library.error())};
  text.functions = std::move(*library);
  return text;
}

}  // namespace cumulo::plan

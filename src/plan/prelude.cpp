#include "plan/prelude.hpp"

#include <bit>

namespace cumulo::plan {
namespace {

std::string combine_expression(Type type, Operator op) {
  // NaN is told by its bits: WGSL lets a compiler assume that x != x is false.
  const bool f = type == Type::f32;
  switch (op) {
    case Operator::add: return "older + newer";
    case Operator::mul: return "older * newer";
    case Operator::bit_and: return "older & newer";
    case Operator::bit_or: return "older | newer";
    case Operator::bit_xor: return "older ^ newer";
    case Operator::min:
      return f ? "select(older, newer, !is_nan(older) && (newer < older || is_nan(newer)))"
               : "select(older, newer, newer < older)";
    case Operator::max:
      return f ? "select(older, newer, !is_nan(older) && (older < newer || is_nan(newer)))"
               : "select(older, newer, older < newer)";
  }
  return "older";
}

}  // namespace

std::string prelude(Type type, Operator op, const PreludeOptions& options) {
  std::string text;
  // Tint wants the extension named; naga does not know the name.
  if (options.subgroups && options.dialect == Dialect::tint) text += "enable subgroups;\n";
  const std::string element(name(type));
  text += "alias Element = " + element + ";\n";
  text += "fn element(w0: u32) -> Element { return bitcast<" + element + ">(w0); }\n";
  text += "fn word0(x: Element) -> u32 { return bitcast<u32>(x); }\n";
  text +=
      "fn choose(otherwise: Element, value: Element, condition: bool) -> Element {\n"
      "  return select(otherwise, value, condition);\n}\n";
  if (type == Type::f32) {
    text += "fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }\n";
  }
  if (options.count_combines) {
    text += "@group(0) @binding(4) var<storage, read_write> counters: array<atomic<u32>>;\n";
  }
  text += "fn combine_uncounted(older: Element, newer: Element) -> Element { return " +
          combine_expression(type, op) + "; }\n";
  text += "fn combine(older: Element, newer: Element) -> Element {\n";
  if (options.count_combines) text += "  atomicAdd(&counters[0], 1u);\n";
  text += "  return combine_uncounted(older, newer);\n}\n";
  return text;
}

std::vector<std::uint32_t> to_words(const Scalar& value) {
  std::vector<std::uint32_t> words = std::visit(
      [](auto v) -> std::vector<std::uint32_t> {
        if constexpr (sizeof(v) == 4) {
          return {std::bit_cast<std::uint32_t>(v)};
        } else {
          const auto bits = std::bit_cast<std::uint64_t>(v);
          return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
        }
      },
      value);
  words.resize(8, 0);
  return words;
}

}  // namespace cumulo::plan

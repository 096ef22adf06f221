#include "plan/prelude.hpp"

#include <bit>
#include <span>

#include "plan/preprocess.hpp"

namespace cumulo::plan {
namespace {

// A word of an element. A scalar is one word without a name.
struct Field {
  std::string name;
  std::string type;  // "u32", "i32" or "f32"

  // The word in the element called `element`.
  std::string of(std::string_view element) const {
    return std::string(element) + (name.empty() ? "" : "." + name);
  }
};

bool is_word_pair(Type type) { return type == Type::u64 || type == Type::i64; }

std::vector<Field> fields_of(Type type) {
  if (is_word_pair(type)) return {{"low", "u32"}, {"high", "u32"}};
  return {{"", std::string(name(type))}};
}

std::string scalar_combine(Type type, Operator op) {
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

// By the functions of lib/word_pair.wgsl.
std::string word_pair_combine(Type type, Operator op) {
  const std::string less = "less_" + std::string(name(type));
  switch (op) {
    case Operator::add: return "add_pairs(older, newer)";
    case Operator::mul: return "multiply_pairs(older, newer)";
    case Operator::bit_and: return "Element(older.low & newer.low, older.high & newer.high)";
    case Operator::bit_or: return "Element(older.low | newer.low, older.high | newer.high)";
    case Operator::bit_xor: return "Element(older.low ^ newer.low, older.high ^ newer.high)";
    case Operator::min: return "choose(older, newer, " + less + "(newer, older))";
    case Operator::max: return "choose(older, newer, " + less + "(older, newer))";
  }
  return "older";
}

// "Element(A, B)", where A and B are what word_text says of the fields.
template <class F>
std::string each_word(std::span<const Field> fields, F&& word_text) {
  std::string text;
  for (const Field& field : fields) text += (text.empty() ? "" : ", ") + word_text(field);
  return "Element(" + text + ")";
}

std::string element_text(std::span<const Field> fields) {
  std::string text;
  if (fields.front().name.empty()) {
    text += "alias Element = " + fields.front().type + ";\n";
  } else {
    text += "struct Element {\n";
    for (const Field& field : fields) text += "  " + field.name + ": " + field.type + ",\n";
    text += "}\n";
  }
  std::string parameters;
  std::string words;
  for (std::size_t w = 0; w < fields.size(); ++w) {
    const std::string word = "w" + std::to_string(w);
    const std::string separator = w == 0 ? "" : ", ";
    parameters += separator + word + ": u32";
    words += separator + "bitcast<" + fields[w].type + ">(" + word + ")";
    text += "fn word" + std::to_string(w) + "(x: Element) -> u32 { return bitcast<u32>(" +
            fields[w].of("x") + "); }\n";
  }
  text += "fn element(" + parameters + ") -> Element { return Element(" + words + "); }\n";
  text += "fn choose(otherwise: Element, value: Element, condition: bool) -> Element {\n  return " +
          each_word(fields,
                    [](const Field& field) {
                      return "select(" + field.of("otherwise") + ", " + field.of("value") +
                             ", condition)";
                    }) +
          ";\n}\n";
  return text;
}

std::string shuffle_text(std::span<const Field> fields) {
  std::string text;
  const auto add = [&](const std::string& function, const std::string& builtin) {
    text += "fn " + function + "(x: Element, y: u32) -> Element {\n  return " +
            each_word(fields,
                      [&](const Field& field) { return builtin + "(" + field.of("x") + ", y)"; }) +
            ";\n}\n";
  };
  add("shuffle", "subgroupShuffle");
  add("shuffle_up", "subgroupShuffleUp");
  add("shuffle_xor", "subgroupShuffleXor");
  return text;
}

}  // namespace

Result<std::string> prelude(Type type, Operator op, const PreludeOptions& options) {
  std::string text;
  // Tint wants the extension named; naga does not know the name.
  if (options.subgroups && options.dialect == Dialect::tint) text += "enable subgroups;\n";
  const std::vector<Field> fields = fields_of(type);
  text += element_text(fields);
  if (options.subgroups) text += shuffle_text(fields);
  if (type == Type::f32) {
    text += "fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }\n";
  }
  if (is_word_pair(type)) {
    auto library = preprocess("lib/word_pair.wgsl", {});
    if (!library) return library;
    text += *library;
  }
  if (options.count_combines) {
    text += "@group(0) @binding(4) var<storage, read_write> counters: array<atomic<u32>>;\n";
  }
  text += "fn combine_uncounted(older: Element, newer: Element) -> Element { return " +
          (is_word_pair(type) ? word_pair_combine(type, op) : scalar_combine(type, op)) + "; }\n";
  text += "fn combine(older: Element, newer: Element) -> Element {\n";
  if (options.count_combines) text += "  atomicAdd(&counters[0], 1u);\n";
  text += "  return combine_uncounted(older, newer);\n}\n";
  return text;
}

bool is_commutative(Type type, Operator op) {
  return !is_float(type) || op == Operator::add || op == Operator::mul;
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

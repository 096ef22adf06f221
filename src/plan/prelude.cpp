#include "plan/prelude.hpp"

#include <bit>
#include <cstring>
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

bool is_wide_float(const ScanDescription& d) { return d.wide && d.type == Type::f32; }

// min and max of floats are those of integers in the same order: one instruction, and any order of
// combination gives the same bits.
bool has_keys(const ScanDescription& d) {
  return !d.monoid && is_float(d.type) && (d.op == Operator::min || d.op == Operator::max);
}

// The type of the elements that are combined, where they are scalars.
Type combined_type(const ScanDescription& d) {
  if (has_keys(d)) return Type::i32;
  if (d.type == Type::f16) return Type::f32;
  if (!d.wide) return d.type;
  return d.type == Type::u32 ? Type::u64 : Type::i64;
}

bool is_word_pair(Type type) { return type == Type::u64 || type == Type::i64; }

bool has_word_pairs(const ScanDescription& d) {
  return !d.monoid && !is_wide_float(d) && is_word_pair(combined_type(d));
}

std::vector<Field> fields_of(const ScanDescription& d) {
  if (d.monoid) {
    std::vector<Field> fields;
    for (const MonoidField& field : d.monoid->fields) {
      fields.push_back({field.name, std::string(name(field.type))});
    }
    return fields;
  }
  if (is_wide_float(d)) return {{"high", "f32"}, {"low", "f32"}};
  if (is_word_pair(combined_type(d))) return {{"low", "u32"}, {"high", "u32"}};
  return {{"", std::string(name(combined_type(d)))}};
}

std::string scalar_combine(Operator op) {
  switch (op) {
    case Operator::add: return "older + newer";
    case Operator::mul: return "older * newer";
    case Operator::bit_and: return "older & newer";
    case Operator::bit_or: return "older | newer";
    case Operator::bit_xor: return "older ^ newer";
    case Operator::add_saturated: return "older + min(newer, ~older)";
    case Operator::min: return "select(older, newer, newer < older)";
    case Operator::max: return "select(older, newer, older < newer)";
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
    case Operator::add_saturated: return "add_pairs_saturated(older, newer)";
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

constexpr const char* shuffle_word_text =
    "fn shuffle_word(x: u32, y: u32) -> u32 { return subgroupShuffle(x, y); }\n";

// A 64-bit integer of the device's own. Its words are moved one by one: not every device shuffles
// 64 bits.
std::string native_int64_text(Type type, bool subgroups) {
  const std::string own(name(type));
  std::string text = "alias Element = " + own +
                     ";\n"
                     "fn word0(x: Element) -> u32 { return u32(bitcast<u64>(x)); }\n"
                     "fn word1(x: Element) -> u32 { return u32(bitcast<u64>(x) >> 32u); }\n"
                     "fn element(w0: u32, w1: u32) -> Element {\n"
                     "  return bitcast<" +
                     own +
                     ">(u64(w0) | (u64(w1) << 32u));\n}\n"
                     "fn choose(otherwise: Element, value: Element, condition: bool) -> Element {\n"
                     "  return select(otherwise, value, condition);\n}\n";
  if (!subgroups) return text;
  for (const auto& [function, builtin] :
       {std::pair{"shuffle", "subgroupShuffle"}, std::pair{"shuffle_up", "subgroupShuffleUp"},
        std::pair{"shuffle_xor", "subgroupShuffleXor"}}) {
    text += "fn " + std::string(function) + "(x: Element, y: u32) -> Element {\n  return element(" +
            builtin + "(word0(x), y), " + builtin + "(word1(x), y));\n}\n";
  }
  return text + shuffle_word_text;
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
  return text + shuffle_word_text;
}

// The integer that stands for a float: -0 before +0, a NaN before all for min and after all for
// max. Told by bits: WGSL lets a compiler assume that x != x is false. The way back is the same
// exchange.
std::string key_text(Operator op) {
  return std::string(
             "fn exchanged_below_zero(x: u32) -> u32 {\n"
             "  return x ^ (bitcast<u32>(bitcast<i32>(x) >> 31u) & 0x7fffffffu);\n}\n"
             "fn key(x: u32) -> Element {\n"
             "  let nan = ") +
         (op == Operator::min ? "x | 0x80000000u" : "x & 0x7fffffffu") +
         ";\n"
         "  let ordered = select(x, nan, (x & 0x7fffffffu) > 0x7f800000u);\n"
         "  return bitcast<i32>(exchanged_below_zero(ordered));\n}\n"
         "fn float_bits(x: Element) -> u32 { return exchanged_below_zero(bitcast<u32>(x)); }\n";
}

// An element of the input, and how it becomes one that is combined.
std::string input_text(const ScanDescription& d, std::size_t words) {
  const auto by_lift = [](const std::string& input, const std::string& lifted) {
    return "alias Input = " + input + ";\nfn lift(x: Input) -> Element { return " + lifted +
           "; }\nfn input_element(w0: u32) -> Element { return lift(bitcast<Input>(w0)); }\n";
  };
  if (has_half_input(d)) {
    return by_lift("u32", has_keys(d) ? "key(bitcast<u32>(from_half(x)))" : "from_half(x)");
  }
  if (has_keys(d)) return by_lift("u32", "key(x)");
  if (d.wide) {
    return by_lift(std::string(name(d.type)),
                   d.type == Type::u32   ? "Element(x, 0u)"
                   : d.type == Type::i32 ? "Element(bitcast<u32>(x), bitcast<u32>(x >> 31u))"
                                         : "Element(x, 0.0)");
  }
  std::string parameters;
  std::string arguments;
  for (std::size_t w = 0; w < words; ++w) {
    const std::string word = (w == 0 ? "w" : ", w") + std::to_string(w);
    parameters += word + ": u32";
    arguments += word;
  }
  return "alias Input = Element;\nfn lift(x: Input) -> Element { return x; }\n"
         "fn input_element(" +
         parameters + ") -> Element { return element(" + arguments + "); }\n";
}

// How an element becomes a result, and the result's words.
std::string result_text(const ScanDescription& d, std::size_t words) {
  const auto by_lower = [](const std::string& lowered) {
    return "alias Result = u32;\nfn lower(x: Element) -> Result { return " + lowered +
           "; }\nfn result_word0(x: Element) -> u32 { return lower(x); }\n";
  };
  if (has_half_output(d)) {
    return by_lower(has_keys(d) ? "to_half(bitcast<f32>(float_bits(x)))" : "to_half(x)");
  }
  if (has_keys(d)) return by_lower("float_bits(x)");
  std::string text = "alias Result = Element;\nfn lower(x: Element) -> Result { return x; }\n";
  for (std::size_t w = 0; w < words; ++w) {
    const std::string own = std::to_string(w);
    text += "fn result_word" + own + "(x: Element) -> u32 { return word" + own + "(x); }\n";
  }
  return text;
}

// combine_uncounted() for an operator that may change the bits of an element when it combines it
// with an absent one: where one of the two has the bits of `absent`, the result is the other.
std::string leaving_out(const Words& absent, std::size_t words, bool selects) {
  // One comparison of all words: && would branch for each of them, at every combine.
  std::string differing;
  for (std::size_t w = 0; w < words; ++w) {
    differing += (w == 0 ? "(word" : " | (word") + std::to_string(w) + "(x) ^ " +
                 std::to_string(absent[w]) + "u)";
  }
  const char* const combined =
      selects
          ? "  let combined = choose(combine_elements(older, newer), older, is_absent(newer));\n"
            "  return choose(combined, newer, is_absent(older));\n"
          : "  if (is_absent(older)) { return newer; }\n"
            "  if (is_absent(newer)) { return older; }\n"
            "  return combine_elements(older, newer);\n";
  return "fn is_absent(x: Element) -> bool { return (" + differing +
         ") == 0u; }\nfn combine_uncounted(older: Element, newer: Element) -> Element {\n" +
         combined + "}\n";
}

std::string combine_text(const std::string& expression) {
  return "fn combine_uncounted(older: Element, newer: Element) -> Element { return " + expression +
         "; }\n";
}

Result<std::string> operator_text(const ScanDescription& d, const PreludeOptions& options) {
  const auto after = [](std::string_view file, const std::string& text) {
    auto library = preprocess(file, {});
    if (library) *library += text;
    return library;
  };
  if (d.monoid) {
    return after("lib/rounded.wgsl",
                 std::string(before_monoid_text) + "\n" + d.monoid->wgsl + "\n}\n" +
                     leaving_out(absent_words(d), d.monoid->fields.size(), options.selects));
  }
  if (is_wide_float(d)) {
    return after("lib/wide_float.wgsl", std::string(before_monoid_text) +
                                            " return add_wide(older, newer); }\n" +
                                            leaving_out(absent_words(d), 2, options.selects));
  }
  const Type type = combined_type(d);
  if (is_word_pair(type) && !options.native_int64) {
    return after("lib/word_pair.wgsl", combine_text(word_pair_combine(type, d.op)));
  }
  return combine_text(scalar_combine(d.op));
}

Words padded(Words words) {
  words.resize(8, 0);
  return words;
}

Words words_of(const std::vector<std::byte>& bytes) {
  Words words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return padded(std::move(words));
}

// As the functions of key_text().
std::uint32_t exchanged_below_zero(std::uint32_t x) { return (x >> 31) != 0 ? x ^ 0x7fffffffU : x; }

std::uint32_t key(Operator op, std::uint32_t x) {
  const bool is_nan = (x & 0x7fffffffU) > 0x7f800000U;
  const std::uint32_t nan = op == Operator::min ? x | 0x80000000U : x & 0x7fffffffU;
  return exchanged_below_zero(is_nan ? nan : x);
}

Words words_of(const ScanDescription& d, const Scalar& value) {
  Words words = padded(std::visit(
      [](auto v) -> Words {
        if constexpr (sizeof(v) == 2) {
          return {std::bit_cast<std::uint32_t>(static_cast<float>(v))};
        } else if constexpr (sizeof(v) == 4) {
          return {std::bit_cast<std::uint32_t>(v)};
        } else {
          const auto bits = std::bit_cast<std::uint64_t>(v);
          return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
        }
      },
      value));
  if (has_keys(d)) words[0] = key(d.op, words[0]);
  return words;
}

}  // namespace

Result<std::string> prelude(const ScanDescription& d, const PreludeOptions& options) {
  std::string text;
  // Tint wants the extension named; naga does not know the name. Branches that whole subgroups take
  // alike are not seen to be so.
  if (options.subgroups && options.dialect == Dialect::tint) {
    text += "enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n";
  }
  std::size_t words = 2;
  if (options.native_int64 && has_word_pairs(d)) {
    text += native_int64_text(combined_type(d), options.subgroups);
  } else {
    const std::vector<Field> fields = fields_of(d);
    words = fields.size();
    text += element_text(fields);
    if (options.subgroups) text += shuffle_text(fields);
  }
  if (has_half_input(d)) {
    auto halves = preprocess("lib/halves.wgsl", {});
    if (!halves) return halves;
    text += *halves;
  }
  if (has_keys(d)) text += key_text(d.op);
  text += input_text(d, words) + result_text(d, words);
  auto combine = operator_text(d, options);
  if (!combine) return combine;
  text += *combine;
  if (options.count_combines) {
    text += "@group(0) @binding(4) var<storage, read_write> counters: array<atomic<u32>>;\n";
  }
  text += "fn combine(older: Element, newer: Element) -> Element {\n";
  if (options.count_combines) text += "  atomicAdd(&counters[0], 1u);\n";
  text += "  return combine_uncounted(older, newer);\n}\n";
  return text;
}

bool has_half_input(const ScanDescription& d) { return !d.monoid && d.type == Type::f16; }
bool has_half_output(const ScanDescription& d) { return has_half_input(d) && !d.wide; }

bool is_commutative(const ScanDescription& d) {
  if (d.monoid) return d.monoid->commutative;
  return !d.wide || d.type != Type::f32;
}

bool is_exact(const ScanDescription& d) { return !d.monoid && (!is_float(d.type) || has_keys(d)); }

Words identity_words(const ScanDescription& d) {
  if (d.monoid) return words_of(d.monoid->identity);
  if (d.wide) return Words(8, 0);
  return with_type(d.type, [&]<class T>() { return words_of(d, Scalar{identity<T>(d.op)}); });
}

Words absent_words(const ScanDescription& d) {
  if (is_wide_float(d)) return words_of(bytes_of(absent_wide));
  if (d.monoid || (d.wide && d.type != Type::f16)) return identity_words(d);
  return with_type(d.type, [&]<class T>() { return words_of(d, Scalar{absent<T>(d.op)}); });
}

Words init_words(const ScanDescription& d) {
  return d.monoid ? words_of(d.monoid_init) : words_of(d, *d.init);
}

Words result_words(const ScanDescription& d, const Words& element) {
  Words words = element;
  if (has_keys(d)) words[0] = exchanged_below_zero(words[0]);
  if (has_half_output(d)) words[0] = Half(std::bit_cast<float>(words[0])).bits;
  return words;
}

}  // namespace cumulo::plan

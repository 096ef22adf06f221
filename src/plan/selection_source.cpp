// What says which elements are selected, as WGSL.
#include "plan/selection_plans.hpp"

namespace cumulo::plan {
namespace {

std::string binding_text(const SelectionRequest& request, std::uint32_t binding, std::size_t k) {
  return "@group(0) @binding(" + std::to_string(binding + k) + ") var<storage, " +
         (request.layout.same_buffer ? "read_write" : "read") + "> source_" + std::to_string(k) +
         ": array<u32>;\n";
}

std::string flags_text(FlagType type) {
  const std::string head = "fn is_set(i: u32) -> bool {\n  ";
  const std::string offset = offset_text(0);
  switch (type) {
    case FlagType::u8:
      return head + "return ((source_0[" + offset +
             " + i / 4u] >> (8u * (i % 4u))) & 0xffu) != 0u;\n}\n";
    case FlagType::u32: return head + "return source_0[" + offset + " + i] != 0u;\n}\n";
    case FlagType::bits: break;
  }
  return head + "return ((source_0[" + offset + " + i / 32u] >> (i % 32u)) & 1u) != 0u;\n}\n";
}

std::string heads_text(std::uint32_t words) {
  std::string text =
      "fn is_set(i: u32) -> bool {\n"
      "  if (params.first_index + i == 0u) { return true; }\n"
      "  let at = " +
      offset_text(0) + " + i * " + std::to_string(words) + "u;\n  return ";
  for (std::uint32_t w = 0; w < words; ++w) {
    const std::string word = std::to_string(w);
    text += (w == 0 ? "" : " || ") + ("source_0[at + " + word + "u]") + " != source_0[at + " +
            word + "u - " + std::to_string(words) + "u]";
  }
  return text + ";\n}\n";
}

std::string type_text(const PredicateColumn& column) {
  if (column.words > 0) return "array<u32, " + std::to_string(column.words) + ">";
  if (size_of(column.type) == 8) return "vec2<u32>";
  return std::string(name(column.type));
}

// fn column_k(i: u32) -> the type of column k
std::string column_text(const PredicateColumn& column, std::size_t k) {
  const std::string number = std::to_string(k);
  const std::string type = type_text(column);
  const std::uint32_t words = column.element_bytes() / 4;
  std::string text = "fn column_" + number + "(i: u32) -> " + type +
                     " {\n  let at = " + offset_text(k) + " + i * " + std::to_string(words) +
                     "u;\n  return ";
  const auto word = [&](std::uint32_t w) {
    return "source_" + number + "[at + " + std::to_string(w) + "u]";
  };
  if (column.words == 0 && words == 1) {
    text += column.type == Type::u32 ? word(0) : "bitcast<" + type + ">(" + word(0) + ")";
  } else {
    text += type + "(";
    for (std::uint32_t w = 0; w < words; ++w) text += (w == 0 ? "" : ", ") + word(w);
    text += ")";
  }
  return text + ";\n}\n";
}

std::string parameter_name(std::size_t column) {
  return column == 0 ? "x" : "c" + std::to_string(column);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// The predicate's own functions, and fn NAME(i: u32, x: T, ...) -> bool. Both predicates' functions
// stand in one module: the second's are renamed.
std::string function_text(const Predicate& predicate, std::string_view name) {
  const bool is_first = name == "keep";
  const auto own = [&](const std::string& text) {
    return is_first ? text : replaced(text, "keep_", std::string(name) + "_");
  };
  std::string text = own(predicate.wgsl_functions) + "\nfn " + std::string(name) + "(i: u32";
  for (std::size_t k = 0; k < predicate.columns.size(); ++k) {
    text += ", " + parameter_name(k) + ": " + type_text(predicate.columns[k]);
  }
  return text + ") -> bool {\n" + own(predicate.wgsl) + "\n}\n";
}

std::string call_text(const Predicate& predicate, std::string_view name) {
  std::string text = std::string(name) + "(params.first_index + i";
  for (std::size_t k = 0; k < predicate.columns.size(); ++k) {
    text += ", column_" + std::to_string(k) + "(i)";
  }
  return text + ")";
}

}  // namespace

std::string offset_text(std::size_t k) {
  return "params.offsets[" + std::to_string(k / 4) + "][" + std::to_string(k % 4) + "]";
}

Result<std::string> source_text(const SelectionRequest& request, std::uint32_t binding) {
  const SelectionDescription& d = request.description;
  std::string text;
  for (std::size_t k = 0; k < request.sources().size(); ++k) {
    text += binding_text(request, binding, k);
  }
  if (!d.predicate) {
    text += d.flags ? flags_text(*d.flags) : heads_text(d.arrays[0].element_bytes / 4);
    return text + "fn class_of(i: u32) -> u32 { return select(1u, 0u, is_set(i)); }\n";
  }
  for (std::size_t k = 0; k < d.predicate->columns.size(); ++k) {
    text += column_text(d.predicate->columns[k], k);
  }
  text += function_text(*d.predicate, "keep");
  if (!d.second) {
    return text + "fn class_of(i: u32) -> u32 { return select(1u, 0u, " +
           call_text(*d.predicate, "keep") + "); }\n";
  }
  text += function_text(*d.second, "second");
  return text + "fn class_of(i: u32) -> u32 {\n  if (" + call_text(*d.predicate, "keep") +
         ") { return 0u; }\n  return select(2u, 1u, " + call_text(*d.second, "second") + ");\n}\n";
}

}  // namespace cumulo::plan

#include "gpu/subgroups_in_memory.hpp"

#include <regex>

namespace cumulo::test {
namespace {

// WGSL, with WIDTH and THREADS to be filled in.
constexpr const char* builtins = R"(
var<private> own_thread: u32;
var<workgroup> words_of_lanes: array<u32, THREADS>;
fn exchanged_word(x: u32, lane: u32) -> u32 {
  words_of_lanes[own_thread] = x;
  workgroupBarrier();
  let y = words_of_lanes[own_thread / WIDTHu * WIDTHu + lane % WIDTHu];
  workgroupBarrier();
  return y;
}
var<workgroup> lanes: array<Element, THREADS>;
fn exchanged(x: Element, lane: u32) -> Element {
  lanes[own_thread] = x;
  workgroupBarrier();
  let y = lanes[own_thread / WIDTHu * WIDTHu + lane % WIDTHu];
  workgroupBarrier();
  return y;
}
fn source_of(y: u32) -> u32 { return y; }
fn source_of_up(y: u32) -> u32 { return own_thread - y; }
fn source_of_xor(y: u32) -> u32 { return own_thread ^ y; }
fn sum_of_words(x: u32) -> u32 {
  words_of_lanes[own_thread] = x;
  workgroupBarrier();
  let first = own_thread / WIDTHu * WIDTHu;
  var sum = 0u;
  for (var i = first; i < first + WIDTHu; i++) { sum += words_of_lanes[i]; }
  workgroupBarrier();
  return sum;
}
fn scan_of_lanes(x: Element) -> Element {
  lanes[own_thread] = x;
  workgroupBarrier();
  let first = own_thread / WIDTHu * WIDTHu;
  var value = lanes[first];
  for (var i = first + 1u; i <= own_thread; i++) { value = combine_uncounted(value, lanes[i]); }
  workgroupBarrier();
  return value;
}
)";

}  // namespace

std::string with_subgroups_in_memory(const PlanKernel& kernel, std::uint32_t width) {
  std::string text = kernel.wgsl;
  const auto replace = [&](const std::string& pattern, const std::string& by) {
    text = std::regex_replace(text, std::regex{pattern}, by);
  };
  replace(
      R"(,\s*@builtin\(subgroup_invocation_id\) (\w+): u32,\s*@builtin\(subgroup_size\) width: u32\) \{)",
      ") {\n  let $1 = thread % WIDTHu;\n  let width = WIDTHu;\n  own_thread = thread;");
  replace(R"(fn shuffle(\w*)\(x: Element, y: u32\) -> Element \{[^}]*\})",
          "fn shuffle$1(x: Element, y: u32) -> Element {\n"
          "  return exchanged(x, source_of$1(y));\n}");
  replace(R"(return subgroupShuffle\(x, y\);)", "return exchanged_word(x, y);");
  replace(R"(\bsubgroupAdd\()", "sum_of_words(");
  replace(R"(\bsubgroupInclusive(Add|Mul)\()", "scan_of_lanes(");
  // What the first subgroup does alone, all do: they come to the same.
  replace(R"(if \(is_first\) \{)", "{");
  text += builtins;
  replace("WIDTH", std::to_string(width));
  replace("THREADS", std::to_string(kernel.workgroup_size));
  return text;
}

}  // namespace cumulo::test

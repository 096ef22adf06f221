// What an element and an operator are in WGSL: the text that stands before every kernel.
#pragma once

#include <string>
#include <vector>

#include "cumulo/error.hpp"
#include "cumulo/operator.hpp"
#include "cumulo/scan_description.hpp"
#include "cumulo/traits.hpp"

namespace cumulo::plan {

struct PreludeOptions {
  Dialect dialect = Dialect::naga;
  bool subgroups = false;       // the kernel calls subgroup builtins
  bool count_combines = false;  // combine() counts its calls into counters[0]
  // 64-bit integers are the device's own, not pairs of words; naga's dialect alone has them.
  bool native_int64 = false;
  // A monoid's absent elements are left out by selects, not by branches: faster, but there is a
  // compiler for CPUs that takes all memory for them.
  bool selects = false;
};

// Element, a scalar or a struct of words (64-bit integers are two u32, or a u64 or i64), and what
// kernels do with it:
//   element(w0, ...)                     the element that these words make up
//   word0(x), word1(x) ...               its words
//   choose(otherwise, value, condition)  select() for any element
//   combine(older, newer)                the operator
//   Input, lift(x)                       an element of the input, and what it is as Element;
//                                        of halves the bits, in a u32, of floats too for min and
//                                        max, which are those of integers in the same order
//   input_element(w0, ...)               the same from the words of an input that is no half
//   Result, lower(x)                     a result, likewise, and which one an Element becomes
//   result_word0(x), result_word1(x) ... its words
// and with subgroups, word by word:
//   shuffle(x, lane), shuffle_up(x, d), shuffle_xor(x, mask)
// For types that GPU kernels take: all but f64. With a monoid, and for wide sums, it must stand
// before a kernel that imports lib/params.wgsl.
Result<std::string> prelude(const ScanDescription& description, const PreludeOptions& options);

// A line of the prelude that stands just before a monoid's text.
inline constexpr std::string_view before_monoid_text =
    "fn combine_elements(older: Element, newer: Element) -> Element {";

// Whether combine(a, b) has the bits of combine(b, a).
bool is_commutative(const ScanDescription& description);

// Elements of the input, or results, that are halves: two lie in a word.
bool has_half_input(const ScanDescription& description);
bool has_half_output(const ScanDescription& description);

// Whether every order of combination gives the same bits.
bool is_exact(const ScanDescription& description);

// What element() takes, padded with zeros to eight words.
using Words = std::vector<std::uint32_t>;

// The first value of an exclusive scan without an initial value.
Words identity_words(const ScanDescription& description);
// The value that changes nothing, to the bit.
Words absent_words(const ScanDescription& description);
// init, which must be there.
Words init_words(const ScanDescription& description);
// How an element with these words is stored as a result.
Words result_words(const ScanDescription& description, const Words& element);

}  // namespace cumulo::plan

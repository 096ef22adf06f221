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
  // Absent elements are left out by selects, not by branches: faster on GPUs, but one compiler for
  // CPUs runs out of memory over them.
  bool selects = false;
};

// Element, a scalar or a struct of words (64-bit integers are two u32, or a u64 or i64), and what
// kernels do with it:
//   element(w0, ...)                     the element that these words make up
//   word0(x), word1(x) ...               its words
//   choose(otherwise, value, condition)  select() for any element
//   combine(older, newer)                the operator
//   Input, lift(x)                       the type of the input, and its conversion to Element. An
//                                        Input of halves is their bits in a u32; for min and max of
//                                        floats it is bits too, and Element integers in that order
//   input_element(w0, ...)               the Element of these words of an input that is no half
//   Result, lower(x)                     the type of a result, and the conversion of Element to it
//   result_word0(x), result_word1(x) ... the words of the result that x becomes
// and with subgroups, word by word:
//   shuffle(x, lane), shuffle_up(x, d), shuffle_xor(x, mask)
// For all types but f64. With a monoid, and for wide sums, the kernel after it must import
// lib/params.wgsl.
Result<std::string> prelude(const ScanDescription& description, const PreludeOptions& options);

// A line of the prelude that stands just before a monoid's text.
inline constexpr std::string_view before_monoid_text =
    "fn combine_elements(older: Element, newer: Element) -> Element {";

// Whether combine(a, b) has the bits of combine(b, a).
bool is_commutative(const ScanDescription& description);

// Whether the elements of the input, or the results, are halves, two in a word.
bool has_half_input(const ScanDescription& description);
bool has_half_output(const ScanDescription& description);

// Whether every order of combination gives the same bits.
bool is_exact(const ScanDescription& description);

// The words of an Element, padded with zeros to eight.
using Words = std::vector<std::uint32_t>;

// The first value of an exclusive scan without an initial value.
Words identity_words(const ScanDescription& description);
// Those of absent() (operator.hpp).
Words absent_words(const ScanDescription& description);
// init, which must be there.
Words init_words(const ScanDescription& description);
// The words of the result that an Element of these words becomes.
Words result_words(const ScanDescription& description, const Words& element);

}  // namespace cumulo::plan

// What an element and an operator are in WGSL: the text that stands before every kernel.
#pragma once

#include <string>
#include <vector>

#include "cumulo/error.hpp"
#include "cumulo/operator.hpp"
#include "cumulo/traits.hpp"

namespace cumulo::plan {

struct PreludeOptions {
  Dialect dialect = Dialect::naga;
  bool subgroups = false;       // the kernel calls subgroup builtins
  bool count_combines = false;  // combine() counts its calls into `counters`
};

// Element, a scalar or a struct of words (64-bit integers are two u32), and what kernels do with
// it:
//   element(w0, ...)                     the element that these words make up
//   word0(x), word1(x) ...               its words
//   choose(otherwise, value, condition)  select() for any element
//   combine(older, newer)                the operator
// and with subgroups, word by word:
//   shuffle(x, lane), shuffle_up(x, d), shuffle_xor(x, mask)
// For types that GPU kernels take: all but f64.
Result<std::string> prelude(Type type, Operator op, const PreludeOptions& options);

// Whether combine(a, b) has the bits of combine(b, a). min and max of floats give the older of two
// equal values, which may differ: -0 and +0.
bool is_commutative(Type type, Operator op);

// The words that element() takes, padded with zeros to eight.
std::vector<std::uint32_t> to_words(const Scalar& value);

}  // namespace cumulo::plan

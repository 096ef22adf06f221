// What an element type and an operator are in WGSL: the text that stands before every kernel.
#pragma once

#include <string>
#include <vector>

#include "cumulo/operator.hpp"
#include "cumulo/traits.hpp"

namespace cumulo::plan {

struct PreludeOptions {
  Dialect dialect = Dialect::naga;
  bool subgroups = false;       // the kernel calls subgroup builtins
  bool count_combines = false;  // combine() counts its calls into `counters`
};

// alias Element; fn combine(older, newer); fn element(w0, ...): the element that its words make up;
// fn word0(x), ...: its words; fn choose(otherwise, value, condition). Only for types that the GPU
// kernels take (u32, i32, f32).
std::string prelude(Type type, Operator op, const PreludeOptions& options);

// The words that element() takes, padded with zeros to eight.
std::vector<std::uint32_t> to_words(const Scalar& value);

}  // namespace cumulo::plan

// A predicate's program as WGSL.
#pragma once

#include <span>
#include <string>

#include "cumulo/predicate.hpp"
#include "predicate/program.hpp"

namespace cumulo::plan {

struct PredicateText {
  std::string body;       // Predicate::wgsl
  std::string functions;  // Predicate::wgsl_functions: the same for every program, or nothing
};

// Uses no floats of the device: comparisons are of bits, and sums, products and quotients are
// computed with integers (lib/keep_float.wgsl), so every device gives the answer of the CPU
// backend. Each step of the program is one let.
Result<PredicateText> predicate_text(const predicate::Program& program,
                                     std::span<const PredicateColumn> columns);

}  // namespace cumulo::plan

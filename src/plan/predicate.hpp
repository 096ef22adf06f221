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

// Nothing is left to a device's floats: comparisons are of bits, and sums, products and quotients
// are made of integers (lib/keep_float.wgsl), so that every device gives the answer of the CPU
// backend. No statement is nested: a let for each step.
Result<PredicateText> predicate_text(const predicate::Program& program,
                                     std::span<const PredicateColumn> columns);

}  // namespace cumulo::plan

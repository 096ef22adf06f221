// A predicate's program as a function over blocks of elements.
#pragma once

#include <span>

#include "cumulo/predicate.hpp"
#include "predicate/program.hpp"

namespace cumulo::cpu {

// Each step is a loop over some hundred elements that the compiler turns into vectors; the program
// is walked once a block, not once an element.
Predicate::Function predicate_function(const predicate::Program& program,
                                       std::span<const PredicateColumn> columns);

}  // namespace cumulo::cpu

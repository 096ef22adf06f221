// What a predicate means: typed operations, each on the results of earlier ones. The same program
// becomes WGSL (plan/predicate.cpp) and a loop over blocks of elements (cpu/predicate.cpp).
//
// Integers are exact: `low` and `high` bound what an operation can give, and whoever carries it out
// picks a representation that holds all of that. Floats are rounded to the nearest of f32 or f64,
// ties to even, subnormal numbers kept.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cumulo/predicate.hpp"
#include "predicate/fault.hpp"
#include "predicate/integer.hpp"

namespace cumulo::predicate {

enum class Kind : std::uint8_t { truth, integer, f32, f64 };

enum class Operation : std::uint8_t {
  column,    // element i of columns[column]
  index,     // i
  constant,  // of any kind
  to_f64,    // an integer or f32; integers are rounded; an integer without a value is NaN
  negate,
  add,
  subtract,
  multiply,
  divide,        // floats
  floor_divide,  // integers; no value where b is 0
  modulo,        // integers; the sign of b; no value where b is 0
  less,          // comparisons of two numbers of one kind, or of an integer with an f64, exactly
  less_equal,
  equal,
  not_equal,
  both,
  either,
  invert,
};

struct Step {
  Operation operation;
  Kind kind = Kind::truth;  // of the result
  std::uint32_t a = 0;      // operands: numbers of earlier steps
  std::uint32_t b = 0;
  std::uint32_t column = 0;
  Wide low = 0;  // integers
  Wide high = 0;
  Wide integer = 0;    // a constant's value: of an integer,
  double real = 0;     // of an f32 (exactly) or f64,
  bool truth = false;  // of a truth
  // Integers: divisors on which the value depends; where one of them is 0 there is no value. A
  // comparison with no value is false, != is true, as with NaN.
  std::vector<std::uint32_t> divisors = {};
};

// How many of a and b it has.
int operand_count(Operation operation);

// The last step, a truth, says whether an element is kept.
using Program = std::vector<Step>;

// The program of a text. An index is at most `most_index`.
Checked<Program> compile(std::string_view text, std::span<const PredicateColumn> columns,
                         std::uint64_t most_index);

}  // namespace cumulo::predicate

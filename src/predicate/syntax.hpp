// A predicate's text as a tree: what it says, not yet what it means.
//
//   condition   = conjunction { "or" conjunction }
//   conjunction = negation { "and" negation }
//   negation    = "not" negation | comparison
//   comparison  = sum { ( < | <= | > | >= | == | != ) sum }      a < b < c is a < b and b < c
//   sum         = product { ( + | - ) product }
//   product     = factor { ( * | / | // | % ) factor }
//   factor      = "-" factor | "+" factor | number | name | "(" condition ")"
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "predicate/fault.hpp"

namespace cumulo::predicate {

enum class Form : std::uint8_t {
  integer,
  real,
  name,
  negate,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  both,
  either,
  invert,
};

struct Branch {
  Form form;
  std::size_t offset = 0;  // of its first character, an operator's of its sign
  std::size_t first = 0;   // where the whole expression begins
  std::uint32_t a = 0;     // operands, which stand before it in the tree
  std::uint32_t b = 0;
  std::string text = {};  // of a number or name
  bool quoted = false;
};

// The last one is the root. An operand may serve two branches.
using Tree = std::vector<Branch>;

// Bounds: nesting of 100, 2,000 branches.
Checked<Tree> parse(std::string_view text);

}  // namespace cumulo::predicate

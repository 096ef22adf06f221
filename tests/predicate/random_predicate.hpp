// Random predicates, and an interpreter of them that shares nothing with the library: it walks a
// tree for each element and tells the types of values while it runs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cumulo/predicate_language.hpp"

namespace cumulo::test {

__extension__ using Wide = __int128;

// Columns of every type, with values that meet and edges of their ranges.
struct Table {
  std::vector<PredicateColumn> columns;
  std::vector<std::vector<std::byte>> bytes;
  std::size_t rows = 0;
};
Table random_table(std::size_t rows, std::mt19937_64& random);

struct Value {
  enum class Kind : std::uint8_t { none, integer, f32, f64, truth };
  Kind kind = Kind::none;  // none: an integer without a value
  bool literal = false;    // made of literals alone
  Wide integer = 0;
  double real = 0;
  bool truth = false;
};

struct Node {
  std::string sign;  // of an operator; "" of a leaf
  std::string text;  // of a literal or a name
  int column = -1;   // of a name; the index is number columns.size()
  Value literal = {};
  std::unique_ptr<Node> a = nullptr;
  std::unique_ptr<Node> b = nullptr;
};

std::unique_ptr<Node> random_condition(const Table& table, int depth, std::mt19937_64& random);
std::string text_of(const Node& node);
Value value_of(const Node& node, const Table& table, std::size_t row);

}  // namespace cumulo::test

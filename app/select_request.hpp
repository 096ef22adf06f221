// What compact, partition, unique or runs was asked for, and what came of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cumulo/selection.hpp"
#include "formats/array.hpp"
#include "formats/readers.hpp"
#include "report.hpp"
#include "request.hpp"

namespace cumulo::app {

enum class SelectKind : std::uint8_t { compact, partition, unique, runs };

struct SelectRequest : Request {
  SelectKind kind = SelectKind::compact;
  std::optional<std::string> keep;    // a file of flags
  std::optional<std::string> where;   // a predicate
  std::optional<std::string> second;  // another one, of a three-way partition
  bool indices = false;
  std::optional<std::string> capacity_word;
  std::string algorithm_word = "auto";

  // What the words mean.
  std::optional<std::uint64_t> capacity = std::nullopt;
  SelectionAlgorithm algorithm = SelectionAlgorithm::automatic;
};

std::string_view name(SelectKind kind);

// The file's numbers, or its rows, and what selects from them.
struct SelectInput {
  std::uint64_t n = 0;
  bool by_rows = false;                     // whole rows of a table are selected, else `values`
  std::unique_ptr<const std::string> text;  // of a table, which holds views of it
  Table table;
  Array values;
  // What the predicates read, in the order of their columns; where `values` is one of them, its
  // place here holds nothing.
  std::vector<Array> columns;
  std::optional<std::size_t> column_of_values;
  std::optional<Predicate> predicate;
  std::optional<Predicate> second;
  std::vector<std::uint8_t> flags;

  std::span<const std::byte> column_bytes(std::size_t column) const;
};

Result<SelectInput> read_select_input(const SelectRequest& request);

struct SelectDifference {
  bool in_count = false;    // the number of results, or the split
  std::uint64_t index = 0;  // of the result
  Scalar expected = {};
  Scalar found = {};
};

struct Selected {
  SelectionDescription description;
  std::uint64_t results = 0;  // that the arrays hold
  Values values = {};
  std::vector<std::uint32_t> indices = {};
  std::vector<std::uint32_t> lengths = {};
  SelectionReport report = {};
  DeviceInfo device = {};
  std::optional<SelectDifference> difference = std::nullopt;
};

// The first result that a sequential computation does not confirm.
std::optional<SelectDifference> first_difference(const SelectInput& input, const Selected& found);

Result<void> write_selected(const SelectRequest& request, const SelectInput& input,
                            const Selected& selected);
Result<void> draw_selected(const SelectRequest& request, const SelectInput& input,
                           const Selected& selected);
Json select_report(const SelectRequest& request, const SelectInput& input,
                   const Selected& selected);
void say_selected(const SelectRequest& request, const SelectInput& input, const Selected& selected);

}  // namespace cumulo::app

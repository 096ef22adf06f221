#include "predicate/names.hpp"

#include <algorithm>

#include "predicate/nearest.hpp"

namespace cumulo::predicate {
namespace {

Fault unknown_name(const Branch& branch, std::span<const std::string> known) {
  constexpr std::size_t most_listed = 12;
  std::string what = "there is no '" + branch.text + "'; known are ";
  for (const std::string& name : known.first(std::min(known.size(), most_listed))) {
    what += name + ", ";
  }
  if (known.size() > most_listed) what += "..., ";
  what += "i (the index)";
  std::string near = nearest(branch.text, known);
  const std::string index_names[] = {"i", "index", "idx"};
  if (near.empty() && !nearest(branch.text, index_names).empty()) near = "i";
  if (!near.empty()) what += "; did you mean " + near + "?";
  return {branch.offset, std::move(what)};
}

}  // namespace

Checked<std::optional<std::size_t>> find_name(const Branch& branch,
                                              std::span<const std::string> known) {
  const auto found = std::ranges::find(known, branch.text);
  if (found == known.end()) {
    if (branch.text == "i" && !branch.quoted) return std::nullopt;
    return std::unexpected{unknown_name(branch, known)};
  }
  if (std::find(found + 1, known.end(), branch.text) != known.end()) {
    return std::unexpected{Fault{branch.offset, "there are several columns '" + branch.text + "'"}};
  }
  return static_cast<std::size_t>(found - known.begin());
}

Checked<std::vector<std::size_t>> names_read(std::string_view text,
                                             std::span<const std::string> known) {
  const auto tree = parse(text);
  if (!tree) return std::unexpected{tree.error()};
  std::vector<bool> read(known.size(), false);
  for (const Branch& branch : *tree) {
    if (branch.form != Form::name) continue;
    const auto found = find_name(branch, known);
    if (!found) return std::unexpected{found.error()};
    if (*found) read[**found] = true;
  }
  std::vector<std::size_t> indices;
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (read[k]) indices.push_back(k);
  }
  return indices;
}

}  // namespace cumulo::predicate

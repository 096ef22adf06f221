#include "predicate/names.hpp"

#include <algorithm>
#include <utility>

namespace cumulo::predicate {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string nearest(std::string_view name, std::span<const std::string> known) {
  constexpr std::size_t longest = 100;  // a longer name is no slip of the fingers
  if (name.size() > longest) return "";
  std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string best;
  for (const std::string& candidate : known) {
    if (candidate.size() > longest) continue;
    const std::size_t edits = distance(name, candidate);
    if (edits >= least || edits >= name.size()) continue;
    least = edits;
    best = candidate;
  }
  return best;
}

Fault unknown_name(const Branch& branch, std::span<const std::string> known) {
  constexpr std::size_t most_listed = 12;
  std::string what = "there is no '" + branch.text + "'; known are ";
  for (const std::string& name : known.first(std::min(known.size(), most_listed))) {
    what += name + ", ";
  }
  if (known.size() > most_listed) what += "..., ";
  what += "i (the index)";
  const std::string near = nearest(branch.text, known);
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

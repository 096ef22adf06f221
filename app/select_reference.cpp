// The comparison of a selection with a sequential computation, an element after the other.
#include <algorithm>
#include <array>
#include <cstring>

#include "select_request.hpp"

namespace cumulo::app {
namespace {

class Reference {
 public:
  Reference(const SelectInput& in, const SelectionDescription& d) : in_(in), d_(d) {
    for (std::uint64_t i = 0; i < in.n; ++i) {
      kinds_[kind_of(i)].push_back(static_cast<std::uint32_t>(i));
    }
  }

  std::uint64_t count() const { return kinds_[0].size(); }
  std::uint64_t second() const { return d_.second ? kinds_[1].size() : 0; }

  // Indices of the elements in the order of the results.
  std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> all = kinds_[0];
    if (d_.rest != Rest::dropped) {
      all.insert(all.end(), kinds_[1].begin(), kinds_[1].end());
      all.insert(all.end(), kinds_[2].begin(), kinds_[2].end());
    }
    all.resize(std::min<std::uint64_t>(all.size(), result_count(d_)));
    return all;
  }

  std::uint32_t length(std::size_t run) const {
    const std::uint64_t end = run + 1 < kinds_[0].size() ? kinds_[0][run + 1] : in_.n;
    return static_cast<std::uint32_t>(end - kinds_[0][run]);
  }

 private:
  std::size_t kind_of(std::uint64_t i) const {
    if (!in_.flags.empty()) return in_.flags[i] != 0 ? 0 : 2;
    if (d_.heads) return is_head(i) ? 0 : 2;
    if (holds(*in_.predicate, i)) return 0;
    return in_.second && holds(*in_.second, i) ? 1 : 2;
  }

  bool is_head(std::uint64_t i) const {
    return std::visit(
        [&]<class T>(const std::vector<T>& v) {
          return i == 0 || std::memcmp(&v[i], &v[i - 1], sizeof(T)) != 0;
        },
        in_.values.values);
  }

  bool holds(const Predicate& predicate, std::uint64_t i) const {
    std::array<const std::byte*, 8> columns{};
    for (std::size_t c = 0; c < predicate.columns.size(); ++c) {
      columns[c] = in_.column_bytes(c).data() + i * predicate.columns[c].element_bytes();
    }
    std::uint8_t keep = 0;
    predicate.function(columns.data(), i, 1, &keep);
    return keep != 0;
  }

  const SelectInput& in_;
  const SelectionDescription& d_;
  std::array<std::vector<std::uint32_t>, 3> kinds_;
};

SelectDifference counts_differ(std::uint64_t expected, std::uint64_t found) {
  return {.in_count = true, .index = expected, .expected = expected, .found = found};
}

}  // namespace

std::optional<SelectDifference> first_difference(const SelectInput& input, const Selected& found) {
  const Reference reference(input, found.description);
  if (reference.count() != found.report.count) {
    return counts_differ(reference.count(), found.report.count);
  }
  if (reference.second() != found.report.second) {
    return counts_differ(reference.second(), found.report.second);
  }
  const std::vector<std::uint32_t> order = reference.order();
  if (order.size() != found.results) return counts_differ(order.size(), found.results);
  std::optional<SelectDifference> first;
  const auto look = [&](std::uint64_t k, auto expected, auto value) {
    // By bytes: a NaN equals itself, -0 is not 0.
    if (std::memcmp(&expected, &value, sizeof value) != 0) {
      first = SelectDifference{.index = k, .expected = expected, .found = value};
    }
  };
  for (std::uint64_t k = 0; k < order.size() && !first; ++k) {
    if (found.description.indices) look(k, order[k], found.indices[k]);
    if (found.description.lengths) look(k, reference.length(k), found.lengths[k]);
    std::visit(
        [&]<class T>(const std::vector<T>& out) {
          if (!out.empty())
            look(k, std::get<std::vector<T>>(input.values.values)[order[k]], out[k]);
        },
        found.values);
  }
  return first;
}

}  // namespace cumulo::app

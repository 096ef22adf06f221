#include "cpu/select.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace cumulo::cpu {
namespace {

constexpr std::uint32_t block = 1024;  // elements decided at once

bool flag_at(FlagType type, const std::byte* flags, std::uint64_t i) {
  if (type == FlagType::u8) return flags[i] != std::byte{0};
  std::uint32_t word = 0;
  const std::uint64_t at = type == FlagType::bits ? i / 32 : i;
  std::memcpy(&word, flags + at * 4, sizeof word);
  return type == FlagType::bits ? (word >> (i % 32) & 1U) != 0 : word != 0;
}

// The class of each element of a block: 0 selected, 1 and 2 the others.
class Classes {
 public:
  Classes(const SelectionDescription& d, const SelectArrays& a) : d_(d), a_(a) {}

  const std::array<std::uint8_t, block>& of(std::uint64_t first, std::uint32_t count) {
    if (d_.predicate) {
      decide(*d_.predicate, first, count);
      for (std::uint32_t k = 0; k < count; ++k) classes_[k] = keep_[k] != 0 ? 0 : 1;
      if (d_.second) {
        decide(*d_.second, first, count);
        for (std::uint32_t k = 0; k < count; ++k) {
          if (classes_[k] == 1 && keep_[k] == 0) classes_[k] = 2;
        }
      }
      return classes_;
    }
    for (std::uint32_t k = 0; k < count; ++k) {
      classes_[k] = is_selected(first + k) ? 0 : 1;
    }
    return classes_;
  }

 private:
  void decide(const Predicate& predicate, std::uint64_t first, std::uint32_t count) {
    std::array<const std::byte*, 8> columns{};
    for (std::size_t c = 0; c < predicate.columns.size(); ++c) {
      columns[c] = a_.arrays[c] + first * d_.arrays[c].element_bytes;
    }
    predicate.function(columns.data(), first, count, keep_.data());
  }

  bool is_selected(std::uint64_t i) const {
    if (d_.flags) return flag_at(*d_.flags, a_.flags, i);
    const std::uint64_t bytes = d_.arrays[0].element_bytes;
    const std::byte* const x = a_.arrays[0] + i * bytes;
    return i == 0 || std::memcmp(x, x - bytes, bytes) != 0;
  }

  const SelectionDescription& d_;
  const SelectArrays& a_;
  std::array<std::uint8_t, block> keep_{};
  std::array<std::uint8_t, block> classes_{};
};

template <class F>
void each_element(const SelectionDescription& d, const SelectArrays& a, F&& f) {
  Classes classes(d, a);
  for (std::uint64_t first = 0; first < d.n; first += block) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(block, d.n - first));
    const auto& found = classes.of(first, count);
    for (std::uint32_t k = 0; k < count; ++k) f(first + k, found[k]);
  }
}

void write(const SelectionDescription& d, const SelectArrays& a, std::uint64_t i,
           std::uint64_t to) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < d.arrays.size(); ++k) {
    if (!d.arrays[k].is_kept) continue;
    const std::uint64_t bytes = d.arrays[k].element_bytes;
    std::memcpy(a.kept[kept++] + to * bytes, a.arrays[k] + i * bytes, bytes);
  }
  if (a.indices != nullptr) a.indices[to] = static_cast<std::uint32_t>(i);
}

}  // namespace

Result<void> check(const SelectionDescription& d) {
  for (const auto* predicate : {&d.predicate, &d.second}) {
    if (*predicate && !(*predicate)->function) {
      return std::unexpected{
          Error{ErrorKind::unsupported, "predicate '" + (*predicate)->name +
                                            "' has no C++ function, which the CPU backend needs"}};
    }
  }
  return {};
}

Result<SelectCounts> select(const SelectionDescription& d, const SelectArrays& a) {
  std::array<std::uint64_t, 3> counts{};
  if (d.rest != Rest::dropped) {
    each_element(d, a, [&](std::uint64_t, std::uint8_t c) { ++counts[c]; });
  }
  std::array<std::uint64_t, 3> next{0, counts[0], counts[0] + counts[1]};
  const std::uint64_t capacity = result_count(d);
  std::uint64_t start = 0;
  each_element(d, a, [&](std::uint64_t i, std::uint8_t c) {
    if (c != 0 && d.rest == Rest::dropped) return;
    const std::uint64_t to = next[c]++;
    if (a.lengths != nullptr && to > 0 && to <= capacity) {
      a.lengths[to - 1] = static_cast<std::uint32_t>(i - start);
    }
    start = i;
    if (to < capacity) write(d, a, i, to);
  });
  if (a.lengths != nullptr && next[0] > 0 && next[0] <= capacity) {
    a.lengths[next[0] - 1] = static_cast<std::uint32_t>(d.n - start);
  }
  return SelectCounts{next[0], d.rest == Rest::three_way ? counts[1] : 0};
}

}  // namespace cumulo::cpu

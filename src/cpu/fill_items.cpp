#include "cpu/fill_items.hpp"

#include "cpu/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/fill_items.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// `copies` of a value of `bytes` bytes, one after the other.
template <std::size_t bytes>
HWY_INLINE std::byte* fill_plainly(std::byte* out, std::size_t copies, const void* value) {
  for (std::size_t k = 0; k < copies; ++k, out += bytes) std::memcpy(out, value, bytes);
  return out;
}

// The same by whole vectors, of values of a lane's size. The first is stored whole: `out` has room
// for a vector, and what is too much is overwritten by the items that follow.
template <class T>
HWY_INLINE std::byte* fill_vectors(std::byte* out, std::size_t copies, const void* value) {
  const hn::ScalableTag<T> d;
  const hn::ScalableTag<std::uint8_t> bytes;
  const std::size_t lanes = hn::Lanes(d);
  T lane;
  std::memcpy(&lane, value, sizeof(T));
  const auto many = hn::BitCast(bytes, hn::Set(d, lane));
  const auto store = [&](std::size_t at) {
    hn::StoreU(many, bytes, reinterpret_cast<std::uint8_t*>(out) + at * sizeof(T));
  };
  store(0);
  for (std::size_t at = lanes; at + lanes <= copies; at += lanes) store(at);
  if (copies > lanes) store(copies - lanes);
  return out + copies * sizeof(T);
}

template <std::uint32_t words>
using Lane = std::conditional_t<words == 1, std::uint32_t, std::uint64_t>;

// All of the loop is in registers: through the cursor, every store could change it.
template <bool from_offsets, std::uint32_t words, class ValueOf>
HWY_INLINE void fill_all(ItemCursor& c, std::byte* out, std::size_t outputs, ValueOf value_of) {
  constexpr std::size_t bytes = words * 4;
  const std::size_t lanes = words > 2 ? 1 : hn::Lanes(hn::ScalableTag<Lane<words>>());
  const std::uint32_t* const counts = c.counts;
  std::uint64_t item = c.item;
  std::uint32_t done = c.done;
  std::size_t room = outputs;
  for (; room > 0 && item < c.items; ++item) {
    const std::uint32_t count = from_offsets ? counts[item + 1] - counts[item] : counts[item];
    const std::size_t left = count - done;
    const auto value = value_of(item);
    if (left <= room && room >= lanes) {
      if constexpr (words <= 2) {
        out = fill_vectors<Lane<words>>(out, left, &value);
      } else {
        out = fill_plainly<bytes>(out, left, &value);
      }
      room -= left;
      done = 0;
      continue;
    }
    const std::size_t copies = std::min(left, room);
    out = fill_plainly<bytes>(out, copies, &value);
    room -= copies;
    done += static_cast<std::uint32_t>(copies);
    if (copies < left) break;
    done = 0;
  }
  c.item = item;
  c.done = done;
}

template <std::uint32_t words, class ValueOf>
HWY_INLINE void fill_from(ItemCursor& c, std::uint32_t* out, std::size_t outputs,
                          ValueOf value_of) {
  auto* const to = reinterpret_cast<std::byte*>(out);
  if (c.from_offsets) {
    fill_all<true, words>(c, to, outputs, value_of);
  } else {
    fill_all<false, words>(c, to, outputs, value_of);
  }
}

template <std::uint32_t words>
void fill_values(ItemCursor& c, std::uint32_t* out, std::size_t outputs) {
  const std::byte* const values = c.values;
  fill_from<words>(c, out, outputs, [values](std::uint64_t item) {
    std::array<std::uint32_t, words> value;
    std::memcpy(&value, values + item * sizeof value, sizeof value);
    return value;
  });
}

void fill(ItemCursor& c, std::uint32_t* out, std::size_t outputs) {
  if (c.values == nullptr) {
    return fill_from<1>(c, out, outputs,
                        [](std::uint64_t item) { return static_cast<std::uint32_t>(item); });
  }
  [&]<std::uint32_t... before>(std::integer_sequence<std::uint32_t, before...>) {
    ((c.words == before + 1 ? fill_values<before + 1>(c, out, outputs) : void()), ...);
  }(std::make_integer_sequence<std::uint32_t, 16>());
}

}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cumulo::cpu {

HWY_EXPORT(fill);

void fill_items(ItemCursor& cursor, std::uint32_t* out, std::size_t outputs) {
  HWY_DYNAMIC_DISPATCH(fill)(cursor, out, outputs);
}

}  // namespace cumulo::cpu
#endif

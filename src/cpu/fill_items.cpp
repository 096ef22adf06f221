#include "cpu/fill_items.hpp"

#include "cpu/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/fill_items.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// One output after the other; `copies` of the value.
template <class T>
HWY_INLINE void fill_few(T* out, std::size_t copies, T value) {
  for (std::size_t k = 0; k < copies; ++k) out[k] = value;
}

// Values of the size of a lane. An item of few outputs is one store of a whole vector: what it
// writes too much is overwritten by the items that follow. `out` holds `outputs` and no more.
template <class T, class ValueOf>
HWY_INLINE void fill_lanes(ItemCursor& c, T* out, std::size_t outputs, ValueOf value_of) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const T* const end = out + outputs;
  while (out < end && c.item < c.items) {
    const std::size_t room = static_cast<std::size_t>(end - out);
    const std::size_t left = c.count() - c.done;
    const std::size_t copies = std::min(left, room);
    const T value = value_of(c.item);
    const auto many = hn::Set(d, value);
    if (room < lanes) {
      fill_few(out, copies, value);
    } else {
      hn::StoreU(many, d, out);
      for (std::size_t at = lanes; at + lanes <= copies; at += lanes) hn::StoreU(many, d, out + at);
      if (copies > lanes) hn::StoreU(many, d, out + copies - lanes);
    }
    out += copies;
    if (copies == left) {
      ++c.item;
      c.done = 0;
    } else {
      c.done += static_cast<std::uint32_t>(copies);
    }
  }
}

// Values of any number of words.
HWY_INLINE void fill_words(ItemCursor& c, std::uint32_t* out, std::size_t outputs) {
  const std::size_t bytes = std::size_t{c.words} * 4;
  while (outputs > 0 && c.item < c.items) {
    const std::size_t left = c.count() - c.done;
    const std::size_t copies = std::min(left, outputs);
    const std::byte* const value = c.values + c.item * bytes;
    for (std::size_t k = 0; k < copies; ++k, out += c.words) std::memcpy(out, value, bytes);
    outputs -= copies;
    if (copies == left) {
      ++c.item;
      c.done = 0;
    } else {
      c.done += static_cast<std::uint32_t>(copies);
    }
  }
}

void fill(ItemCursor& c, std::uint32_t* out, std::size_t outputs) {
  if (c.values == nullptr) {
    fill_lanes(c, out, outputs,
               [](std::uint64_t item) { return static_cast<std::uint32_t>(item); });
  } else if (c.words == 1) {
    const std::byte* const values = c.values;
    fill_lanes(c, out, outputs, [values](std::uint64_t item) {
      std::uint32_t value;
      std::memcpy(&value, values + item * sizeof value, sizeof value);
      return value;
    });
  } else {
    fill_words(c, out, outputs);
  }
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

#include "cpu/stream_copy.hpp"

#include "cpu/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/stream_copy.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Streaming stores need aligned vectors: the ends that are not take ordinary ones.
void stream_vectors(const std::uint8_t* from, std::uint8_t* to, std::size_t bytes) {
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t width = hn::Lanes(d);
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(to) % width;
  const std::size_t head = misaligned == 0 ? 0 : width - misaligned;
  if (bytes < head + width) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::memcpy(to, from, head);
  std::size_t at = head;
  for (; at + width <= bytes; at += width) hn::Stream(hn::LoadU(d, from + at), d, to + at);
  std::memcpy(to + at, from + at, bytes - at);
}

}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cumulo::cpu {

HWY_EXPORT(stream_vectors);

void stream_copy(const void* from, void* to, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(stream_vectors)
  (static_cast<const std::uint8_t*>(from), static_cast<std::uint8_t*>(to), bytes);
}

void finish_streaming() { hwy::FlushStream(); }

}  // namespace cumulo::cpu
#endif

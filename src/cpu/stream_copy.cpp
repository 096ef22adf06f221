#include "cpu/stream_copy.hpp"

#include "cpu/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/stream_copy.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void stream_vectors(const std::uint8_t* from, std::uint8_t* to, std::size_t bytes) {
  const hn::CappedTag<std::uint8_t, cache_line> d;
  const std::size_t width = hn::Lanes(d);
  for (std::size_t at = 0; at < bytes; at += width) hn::Stream(hn::LoadU(d, from + at), d, to + at);
}

}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cumulo::cpu {

HWY_EXPORT(stream_vectors);

void stream_lines(const void* from, void* to, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(stream_vectors)
  (static_cast<const std::uint8_t*>(from), static_cast<std::uint8_t*>(to), bytes);
}

void finish_streaming() { hwy::FlushStream(); }

}  // namespace cumulo::cpu
#endif

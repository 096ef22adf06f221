#include "bench/stream_copy.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/stream_copy.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace cumulo::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void copy_vectors(const std::uint8_t* from, std::uint8_t* to, std::size_t bytes) {
  const hn::CappedTag<std::uint8_t, 64> d;
  for (std::size_t at = 0; at < bytes; at += hn::Lanes(d)) {
    hn::Stream(hn::Load(d, from + at), d, to + at);
  }
}

}  // namespace cumulo::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cumulo::bench {

HWY_EXPORT(copy_vectors);

void copy_streaming(const void* from, void* to, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(copy_vectors)
  (static_cast<const std::uint8_t*>(from), static_cast<std::uint8_t*>(to), bytes);
  hwy::FlushStream();
}

void copy_streaming_pages(const void* from, void* to, std::size_t bytes) {
  constexpr std::size_t page = 4096;
  constexpr std::size_t ahead = 4 * page;
  const auto* const in = static_cast<const std::uint8_t*>(from);
  auto* const out = static_cast<std::uint8_t*>(to);
  for (std::size_t at = 0; at < bytes; at += page) {
    if (at + ahead < bytes) {
      hwy::Prefetch(in + at + ahead);
      hwy::Prefetch(out + at + ahead);
    }
    HWY_DYNAMIC_DISPATCH(copy_vectors)(in + at, out + at, std::min(page, bytes - at));
  }
  hwy::FlushStream();
}

}  // namespace cumulo::bench
#endif

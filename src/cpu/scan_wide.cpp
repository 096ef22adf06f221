// The CPU backend's wide sums.
#include "cpu/blocked_scan.hpp"
#include "cpu/built_in.hpp"
#include "cpu/elements.hpp"
#include "cpu/ordered_strip.hpp"
#include "cpu/scan.hpp"
#include "cpu/thread_errors.hpp"

namespace cumulo::cpu {
namespace {

template <Element T>
using Sums = WideIntegers<BuiltIn<std::uint64_t>, T>;

template <class Algebra, class Value = typename Algebra::Value>
std::vector<std::byte> scan_sums(const Algebra& algebra, const ScanDescription& d, Value first,
                                 const void* in, void* out) {
  using Input = typename Algebra::Input;
  return bytes_of(scan_described(
      d, first, static_cast<const Input*>(in), static_cast<Value*>(out),
      [&](const std::optional<Value>& start, const Input* from, Value* to) {
        if (d.algorithm == Algorithm::serial) return scan_serially(algebra, d, start, from, to);
        return BlockedScan(algebra, d, start.value_or(algebra.absent()), from, to).run();
      }));
}

std::vector<std::byte> scan_of_type(const ScanDescription& d, const void* in, void* out) {
  if (d.type == Type::u32) {
    const auto first = d.init ? std::get<std::uint64_t>(*d.init) : 0;
    return scan_sums(Sums<std::uint32_t>{}, d, first, in, out);
  }
  if (d.type == Type::i32) {
    const auto first = d.init ? std::get<std::int64_t>(*d.init) : 0;
    return scan_sums(Sums<std::int32_t>{}, d, static_cast<std::uint64_t>(first), in, out);
  }
  if (d.type == Type::f16) {
    return scan_sums(WideHalves{}, d, d.init ? std::get<float>(*d.init) : 0.0F, in, out);
  }
  const WideFloat first = d.init ? WideFloat{std::get<float>(*d.init), 0} : WideFloat{};
  return scan_sums(PlainStrips<WideFloatElements>{}, d, first, in, out);
}

}  // namespace

Result<std::vector<std::byte>> scan_wide(const ScanDescription& d, const void* in, void* out) {
  if (auto ok = check(d); !ok) return std::unexpected{std::move(ok.error())};
  return without_exceptions(
      [&]() -> Result<std::vector<std::byte>> { return scan_of_type(d, in, out); });
}

}  // namespace cumulo::cpu

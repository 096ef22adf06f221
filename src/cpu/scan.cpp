// The CPU backend's scan of numbers.
#include "cpu/scan.hpp"

#include <string>
#include <type_traits>

#include "cpu/blocked_scan.hpp"
#include "cpu/built_in.hpp"
#include "cpu/thread_errors.hpp"

namespace cumulo::cpu {
namespace {

// Two's complement: of the operators only min and max tell signed integers from unsigned ones.
template <Element T>
using WrapType =
    std::conditional_t<std::is_integral_v<T>,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>, T>;

template <Element T>
CombinedAs<T> scan_in_blocks(const ScanDescription& d, CombinedAs<T> start, const T* in, T* out) {
  const std::conditional_t<std::is_same_v<T, Half>, BuiltInHalves, BuiltIn<T>> algebra(d.op);
  return BlockedScan(algebra, d, start, in, out).run();
}

template <Element T>
CombinedAs<T> scan_elements(const ScanDescription& d, std::optional<CombinedAs<T>> start,
                            const T* in, T* out) {
  if (d.algorithm == Algorithm::serial) {
    return scan_serially(PlainOperator<T>{d.op}, d, start, in, out);
  }
  const CombinedAs<T> first = start.value_or(absent<CombinedAs<T>>(d.op));
  if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
    if (d.op != Operator::min && d.op != Operator::max) {
      using U = WrapType<T>;
      return static_cast<T>(scan_in_blocks(d, static_cast<U>(first), reinterpret_cast<const U*>(in),
                                           reinterpret_cast<U*>(out)));
    }
  }
  return scan_in_blocks(d, first, in, out);
}

template <Element T>
T scan_typed(const ScanDescription& d, const T* in, T* out) {
  using Combined = CombinedAs<T>;
  const Combined first = d.init ? std::get<T>(*d.init) : identity<T>(d.op);
  return scan_described(d, first, in, out,
                        [&](std::optional<Combined> start, const T* from, T* to) {
                          return scan_elements(d, start, from, to);
                        });
}

}  // namespace

Result<void> check(const ScanDescription& d) {
  if (auto ok = validate(d); !ok) return ok;
  if (d.algorithm != Algorithm::automatic && d.algorithm != Algorithm::serial &&
      d.algorithm != Algorithm::blocked) {
    return std::unexpected{Error{ErrorKind::unsupported,
                                 "algorithm " + std::string(name(d.algorithm)) +
                                     " runs on a GPU; the CPU backend has serial and blocked"}};
  }
  if (d.monoid && !d.monoid->combine) {
    return std::unexpected{
        Error{ErrorKind::unsupported,
              "operator '" + d.monoid->name +
                  "' is known as WGSL alone, which runs on a GPU; the CPU backend needs its C++ "
                  "function (Monoid::combine in a program)"}};
  }
  return {};
}

Result<Scalar> scan(const ScanDescription& d, const void* in, void* out) {
  if (auto ok = check(d); !ok) return std::unexpected{std::move(ok.error())};
  return without_exceptions([&] {
    return with_type(d.type, [&]<class T>() -> Result<Scalar> {
      return Scalar{std::in_place_type<T>,
                    scan_typed<T>(d, static_cast<const T*>(in), static_cast<T*>(out))};
    });
  });
}

}  // namespace cumulo::cpu

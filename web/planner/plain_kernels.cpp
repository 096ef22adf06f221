// The kernels of the CPU backend that Highway cannot make for WebAssembly, whose vectors know no
// f64 there: plain code in the same order.
#include <bit>
#include <cstddef>

#include "cpu/block_totals.hpp"
#include "cpu/ordered_strip.hpp"
#include "cpu/strip_kernels.hpp"

namespace cumulo::cpu {
namespace {

template <Operator op, Element T>
T joined(const T& older, const T& newer) {
  return combine(op, older, newer);
}

template <Operator op, Element T>
T prefix(const T* in, QuadPrefixes<T>& before) {
  return prefix_strip(in, before, absent<T>(op), joined<op, T>);
}

template <Operator op, Element T>
T scan(const T* in, QuadPrefixes<T>& before, T* out, T base, ScanKind kind, const T* next,
       const T*) {
  scan_strip(in, before, out, base, kind, joined<op, T>);
  return next == nullptr ? absent<T>(op) : prefix<op>(next, before);
}

// The balanced tree of a power of two of strips.
template <Operator op, Element T>
T total_of_block(const T* in, std::size_t strips) {
  if (strips == 1) return strip_total(in, joined<op, T>);
  const T left = total_of_block<op, T>(in, strips / 2);
  return combine(op, left, total_of_block<op, T>(in + strips / 2 * order::strip, strips / 2));
}

// f with the operator as its template argument; those that are not defined for T count as add.
template <Element T, class F>
auto with_operator(Operator op, F&& f) {
  switch (op) {
    case Operator::mul: return f.template operator()<Operator::mul>();
    case Operator::min: return f.template operator()<Operator::min>();
    case Operator::max: return f.template operator()<Operator::max>();
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case Operator::bit_and: return f.template operator()<Operator::bit_and>();
      case Operator::bit_or: return f.template operator()<Operator::bit_or>();
      case Operator::bit_xor: return f.template operator()<Operator::bit_xor>();
      default: break;
    }
  }
  if constexpr (std::is_unsigned_v<T>) {
    if (op == Operator::add_saturated) return f.template operator()<Operator::add_saturated>();
  }
  return f.template operator()<Operator::add>();
}

template <Element T>
StripKernels<T> kernels_of(Operator op) {
  return with_operator<T>(
      op, []<Operator o>() { return StripKernels<T>{prefix<o, T>, scan<o, T>, scan<o, T>}; });
}

template <Element T>
BlockTotal<T> total_of(Operator op) {
  return with_operator<T>(op, []<Operator o>() -> BlockTotal<T> { return total_of_block<o, T>; });
}

}  // namespace

template <>
StripKernels<std::uint32_t> strip_kernels<std::uint32_t>(Operator op) {
  return kernels_of<std::uint32_t>(op);
}
template <>
StripKernels<std::int32_t> strip_kernels<std::int32_t>(Operator op) {
  return kernels_of<std::int32_t>(op);
}
template <>
StripKernels<float> strip_kernels<float>(Operator op) {
  return kernels_of<float>(op);
}
template <>
StripKernels<std::uint64_t> strip_kernels<std::uint64_t>(Operator op) {
  return kernels_of<std::uint64_t>(op);
}
template <>
StripKernels<std::int64_t> strip_kernels<std::int64_t>(Operator op) {
  return kernels_of<std::int64_t>(op);
}
template <>
StripKernels<double> strip_kernels<double>(Operator op) {
  return kernels_of<double>(op);
}

template <>
BlockTotal<std::uint32_t> block_total<std::uint32_t>(Operator op) {
  return total_of<std::uint32_t>(op);
}
template <>
BlockTotal<std::int32_t> block_total<std::int32_t>(Operator op) {
  return total_of<std::int32_t>(op);
}
template <>
BlockTotal<float> block_total<float>(Operator op) {
  return total_of<float>(op);
}
template <>
BlockTotal<std::uint64_t> block_total<std::uint64_t>(Operator op) {
  return total_of<std::uint64_t>(op);
}
template <>
BlockTotal<std::int64_t> block_total<std::int64_t>(Operator op) {
  return total_of<std::int64_t>(op);
}
template <>
BlockTotal<double> block_total<double>(Operator op) {
  return total_of<double>(op);
}

}  // namespace cumulo::cpu

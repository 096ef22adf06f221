// The CPU backend's reduction of numbers, of a monoid's elements, and to wide sums.
#include "cpu/reduce.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

#include "cpu/block_totals.hpp"
#include "cpu/blocked_reduce.hpp"
#include "cpu/built_in.hpp"
#include "cpu/elements.hpp"
#include "cpu/halves.hpp"
#include "cpu/scan.hpp"
#include "cpu/thread_errors.hpp"

namespace cumulo::cpu {
namespace {

// A built-in operator, by vector code.
template <Element T>
struct Numbers : PlainOperator<T> {
  explicit Numbers(Operator operation)
      : PlainOperator<T>{operation}, total(cpu::block_total<T>(operation)) {}

  T block_total(const T* in, std::size_t strips) const { return total(in, strips); }

  BlockTotal<T> total;
};

template <Element T>
using Sums = WideIntegers<Numbers<std::uint64_t>, T>;

// Halves: by the vector code of f32.
struct Halves : Numbers<float> {
  using Input = Half;
  using Numbers<float>::Numbers;
  float lift(Half x) const { return x; }
  void lift_all(const Half* in, std::size_t count, float* out) const { widen(in, count, out); }
};

// Elements without vector code.
template <class Elements>
struct PlainTotals : Elements {
  using Value = typename Elements::Value;
  using Elements::Elements;

  Value block_total(const Value* in, std::size_t strips) const {
    return total_of_quads(in, strips * (order::strip / order::quad));
  }

 private:
  Value total_of_quads(const Value* in, std::size_t quads) const {
    if (quads > 1) {
      return this->combine(total_of_quads(in, quads / 2),
                           total_of_quads(in + quads / 2 * order::quad, quads / 2));
    }
    return this->combine(this->combine(this->combine(in[0], in[1]), in[2]), in[3]);
  }
};

template <class Value>
std::vector<std::byte> bytes(const Value& value) {
  const auto view = std::as_bytes(std::span{&value, 1});
  return {view.begin(), view.end()};
}

template <class Algebra>
auto reduced(const Algebra& algebra, std::uint64_t n, const void* in) {
  using Input = typename Algebra::Input;
  return BlockedReduce(algebra, static_cast<const Input*>(in), n).run();
}

template <class Algebra>
std::vector<std::byte> value_of(const Algebra& algebra, std::uint64_t n, const void* in) {
  return bytes(reduced(algebra, n, in));
}

template <Element T>
std::vector<std::byte> reduce_numbers(const ReduceDescription& d, const void* in) {
  if (d.n == 0) return bytes(identity<T>(d.op));
  if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
    // Two's complement: of the operators only min and max tell signed integers from unsigned ones.
    if (d.op != Operator::min && d.op != Operator::max) {
      return value_of(Numbers<std::make_unsigned_t<T>>(d.op), d.n, in);
    }
  }
  if constexpr (std::is_same_v<T, Half>) {
    return bytes(Half(reduced(Halves(d.op), d.n, in)));
  } else {
    return value_of(Numbers<T>(d.op), d.n, in);
  }
}

std::vector<std::byte> reduce_wide(const ReduceDescription& d, const void* in) {
  if (d.n == 0) return std::vector<std::byte>(element_bytes(d));
  if (d.type == Type::u32) return value_of(Sums<std::uint32_t>{}, d.n, in);
  if (d.type == Type::i32) return value_of(Sums<std::int32_t>{}, d.n, in);
  if (d.type == Type::f16) return value_of(Halves(Operator::add), d.n, in);
  return value_of(PlainTotals<WideFloatElements>{}, d.n, in);
}

template <std::size_t... words>
std::vector<std::byte> reduce_monoid(const ReduceDescription& d, const void* in,
                                     std::index_sequence<words...>) {
  if (d.n == 0) return d.monoid->identity;
  std::vector<std::byte> value;
  const auto with_words = [&]<std::size_t count>() {
    if (count != d.monoid->fields.size()) return;
    value = value_of(PlainTotals<MonoidElements<count>>(*d.monoid), d.n, in);
  };
  (with_words.template operator()<words + 1>(), ...);
  return value;
}

}  // namespace

Result<void> check(const ReduceDescription& d) { return check(as_scan(d)); }

Result<std::vector<std::byte>> reduce(const ReduceDescription& d, const void* in) {
  if (auto ok = check(d); !ok) return std::unexpected{std::move(ok.error())};
  return without_exceptions([&]() -> Result<std::vector<std::byte>> {
    if (d.monoid) return reduce_monoid(d, in, std::make_index_sequence<8>{});
    if (d.wide) return reduce_wide(d, in);
    return with_type(d.type, [&]<class T>() { return reduce_numbers<T>(d, in); });
  });
}

}  // namespace cumulo::cpu

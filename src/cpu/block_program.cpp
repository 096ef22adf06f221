#include "cpu/block_program.hpp"

#include "cpu/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/block_program.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

using predicate::Kind;
using predicate::Operation;
using predicate::Program;
using predicate::Step;
using predicate::Wide;
__extension__ using UnsignedWide = unsigned __int128;

// ---- loops

template <class T>
HWY_INLINE T get(const std::byte* from, std::size_t k) {
  T value;
  std::memcpy(&value, from + k * sizeof(T), sizeof(T));
  return value;
}

template <class T>
HWY_INLINE void put(std::byte* to, std::size_t k, T value) {
  std::memcpy(to + k * sizeof(T), &value, sizeof(T));
}

template <class F, class A>
void one_operand(const std::byte* HWY_RESTRICT a, const std::byte*, std::byte* HWY_RESTRICT out) {
  for (std::size_t k = 0; k < block_values; ++k) put(out, k, F::of(get<A>(a, k)));
}

template <class F, class A, class B = A>
void two_operands(const std::byte* HWY_RESTRICT a, const std::byte* HWY_RESTRICT b,
                  std::byte* HWY_RESTRICT out) {
  for (std::size_t k = 0; k < block_values; ++k) put(out, k, F::of(get<A>(a, k), get<B>(b, k)));
}

template <class T>
struct UnsignedOf {
  using Type = std::make_unsigned_t<T>;
};
template <>
struct UnsignedOf<Wide> {
  using Type = UnsignedWide;
};

// Integers wrap: what a step's type cannot hold is wanted by no one. The arithmetic of types
// smaller than int would be signed; there are none.
template <class T, class F>
HWY_INLINE T wrapped(T a, T b, F&& f) {
  if constexpr (std::is_floating_point_v<T>) {
    return f(a, b);
  } else {
    using U = typename UnsignedOf<T>::Type;
    return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
  }
}

struct Add {
  template <class T>
  static HWY_INLINE T of(T a, T b) {
    return wrapped(a, b, [](auto p, auto q) HWY_ATTR { return p + q; });
  }
};
struct Subtract {
  template <class T>
  static HWY_INLINE T of(T a, T b) {
    return wrapped(a, b, [](auto p, auto q) HWY_ATTR { return p - q; });
  }
};
struct Multiply {
  template <class T>
  static HWY_INLINE T of(T a, T b) {
    return wrapped(a, b, [](auto p, auto q) HWY_ATTR { return p * q; });
  }
};
struct Divide {
  template <class T>
  static HWY_INLINE T of(T a, T b) {
    return a / b;
  }
};
// Where there is no value, something that does no harm.
struct FloorDivide {
  template <class T>
  static HWY_INLINE T of(T a, T b) {
    return predicate::floor_divide(a, b == 0 ? T{1} : b);
  }
};
struct Modulo {
  template <class T>
  static HWY_INLINE T of(T a, T b) {
    // Nothing is left by -1, nor by 1, which no processor takes amiss for the least integer.
    const bool harmless = b == 0 || (T(-1) < T{0} && b == T(-1));
    return predicate::modulo(a, harmless ? T{1} : b);
  }
};
struct Negate {
  template <class T>
  static HWY_INLINE T of(T a) {
    if constexpr (std::is_floating_point_v<T>) {
      return -a;
    } else {
      return Subtract::of(T{0}, a);
    }
  }
};
template <class To>
struct Convert {
  template <class T>
  static HWY_INLINE To of(T a) {
    return static_cast<To>(a);
  }
};
struct NotZero {
  template <class T>
  static HWY_INLINE std::uint8_t of(T a) {
    return a != 0;
  }
};
struct NanWithoutValue {
  static HWY_INLINE double of(double a, std::uint8_t has_value) {
    return has_value != 0 ? a : std::numeric_limits<double>::quiet_NaN();
  }
};

struct Less {
  template <class T>
  static HWY_INLINE std::uint8_t of(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  static HWY_INLINE std::uint8_t of(T a, T b) {
    return a <= b;
  }
};
struct Equal {
  template <class T>
  static HWY_INLINE std::uint8_t of(T a, T b) {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
  static HWY_INLINE std::uint8_t of(T a, T b) {
    return a != b;
  }
};

// An integer and an f64 as two numbers of one type in the same order; false where b is NaN.
template <class F>
struct Mixed {
  template <bool integer_first>
  static HWY_INLINE std::uint8_t compare(Wide integer, double real) {
    if (std::isnan(real)) return F::of(0.0, real);
    if (predicate::beyond(real)) return integer_first ? F::of(0.0, real) : F::of(real, 0.0);
    const double floor = std::floor(real);
    const Wide whole = static_cast<Wide>(floor);
    // Twice the numbers: a fraction lies between them.
    const int order = integer < whole ? -2 : integer == whole ? 0 : 2;
    const int fraction = order == 0 && floor != real ? 1 : 0;
    return integer_first ? F::of(order, fraction) : F::of(fraction, order);
  }
  static HWY_INLINE std::uint8_t of(Wide a, double b) { return compare<true>(a, b); }
  static HWY_INLINE std::uint8_t of(double a, Wide b) { return compare<false>(b, a); }
};

struct Both {
  static HWY_INLINE std::uint8_t of(std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(a & b);
  }
};
struct Either {
  static HWY_INLINE std::uint8_t of(std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(a | b);
  }
};
struct Invert {
  static HWY_INLINE std::uint8_t of(std::uint8_t a) { return static_cast<std::uint8_t>(a ^ 1); }
};

// ---- the loop of a step

template <class F>
BlockLoop with_integers(Carrier carrier, F&& f) {
  switch (carrier) {
    case Carrier::u32: return f(std::uint32_t{});
    case Carrier::i32: return f(std::int32_t{});
    case Carrier::u64: return f(std::uint64_t{});
    case Carrier::i64: return f(std::int64_t{});
    default: return f(Wide{});
  }
}

template <class F>
BlockLoop with_numbers(Carrier carrier, F&& f) {
  if (carrier == Carrier::f32) return f(float{});
  if (carrier == Carrier::f64) return f(double{});
  return with_integers(carrier, f);
}

template <class Step>
BlockLoop number_loop(Carrier carrier) {
  return with_numbers(carrier,
                      [](auto zero) -> BlockLoop { return two_operands<Step, decltype(zero)>; });
}

template <class Step>
BlockLoop integer_loop(Carrier carrier) {
  return with_integers(carrier,
                       [](auto zero) -> BlockLoop { return two_operands<Step, decltype(zero)>; });
}

BlockLoop conversion(Carrier from, Carrier to) {
  return with_numbers(from, [to](auto zero) -> BlockLoop {
    using From = decltype(zero);
    if (to == Carrier::f64) return one_operand<Convert<double>, From>;
    if constexpr (std::is_floating_point_v<From>) {
      return nullptr;
    } else {
      return with_integers(to, [](auto wanted) -> BlockLoop {
        return one_operand<Convert<decltype(wanted)>, From>;
      });
    }
  });
}

BlockLoop arithmetic(Operation operation, Carrier carrier) {
  switch (operation) {
    case Operation::negate:
      return with_numbers(
          carrier, [](auto zero) -> BlockLoop { return one_operand<Negate, decltype(zero)>; });
    case Operation::add: return number_loop<Add>(carrier);
    case Operation::subtract: return number_loop<Subtract>(carrier);
    case Operation::multiply: return number_loop<Multiply>(carrier);
    case Operation::floor_divide: return integer_loop<FloorDivide>(carrier);
    case Operation::modulo: return integer_loop<Modulo>(carrier);
    default: break;
  }
  return carrier == Carrier::f32 ? BlockLoop{two_operands<Divide, float>}
                                 : BlockLoop{two_operands<Divide, double>};
}

BlockLoop comparison(Operation operation, Carrier carrier) {
  switch (operation) {
    case Operation::less: return number_loop<Less>(carrier);
    case Operation::less_equal: return number_loop<LessEqual>(carrier);
    case Operation::equal: return number_loop<Equal>(carrier);
    default: return number_loop<NotEqual>(carrier);
  }
}

template <class F>
BlockLoop mixed_loop(bool integer_first) {
  return integer_first ? BlockLoop{two_operands<Mixed<F>, Wide, double>}
                       : BlockLoop{two_operands<Mixed<F>, double, Wide>};
}

BlockLoop mixed_comparison(Operation operation, bool integer_first) {
  switch (operation) {
    case Operation::less: return mixed_loop<Less>(integer_first);
    case Operation::less_equal: return mixed_loop<LessEqual>(integer_first);
    case Operation::equal: return mixed_loop<Equal>(integer_first);
    default: return mixed_loop<NotEqual>(integer_first);
  }
}

BlockLoop not_zero(Carrier carrier) {
  return with_integers(carrier,
                       [](auto zero) -> BlockLoop { return one_operand<NotZero, decltype(zero)>; });
}

BlockLoop both_loop() { return two_operands<Both, std::uint8_t>; }
BlockLoop either_loop() { return two_operands<Either, std::uint8_t>; }
BlockLoop invert_loop() { return one_operand<Invert, std::uint8_t>; }
BlockLoop nan_loop() { return two_operands<NanWithoutValue, double, std::uint8_t>; }

// ---- the program

template <class T>
bool holds(Wide low, Wide high) {
  return low >= std::numeric_limits<T>::min() && high <= std::numeric_limits<T>::max();
}

Carrier carrier_of(Wide low, Wide high) {
  if (holds<std::uint32_t>(low, high)) return Carrier::u32;
  if (holds<std::int32_t>(low, high)) return Carrier::i32;
  if (holds<std::int64_t>(low, high)) return Carrier::i64;
  return holds<std::uint64_t>(low, high) ? Carrier::u64 : Carrier::wide;
}

class Builder {
 public:
  Builder(const Program& program, const std::vector<Carrier>& columns)
      : program_(program), columns_(columns) {}

  BlockProgram build() {
    for (const Step& step : program_) place_.push_back(build_step(step));
    out_.result = place_.back();
    return std::move(out_);
  }

 private:
  std::uint32_t add_place(BlockPlace place) {
    out_.places.push_back(std::move(place));
    return static_cast<std::uint32_t>(out_.places.size() - 1);
  }
  std::uint32_t add_step(BlockLoop loop, Carrier carrier, std::uint32_t a, std::uint32_t b = 0) {
    const std::uint32_t out = add_place({.carrier = carrier});
    out_.steps.push_back({loop, a, b, out});
    return out;
  }

  static Carrier carrier_of_step(const Step& step) {
    switch (step.kind) {
      case Kind::truth: return Carrier::truth;
      case Kind::f32: return Carrier::f32;
      case Kind::f64: return Carrier::f64;
      case Kind::integer: break;
    }
    return carrier_of(step.low, step.high);
  }

  std::uint32_t converted(std::uint32_t step, Carrier to) {
    const Step& source = program_[step];
    if (source.operation == Operation::constant && source.kind == Kind::integer) {
      return add_place({.source = BlockPlace::Source::constant, .carrier = to, .value = source});
    }
    const std::uint32_t place = place_[step];
    const Carrier from = out_.places[place].carrier;
    return from == to ? place : add_step(conversion(from, to), to, place);
  }

  // Whether the operands have values: nothing where all of them always have.
  static constexpr std::uint32_t always = ~std::uint32_t{0};
  std::uint32_t has_value(const Step& step) {
    std::uint32_t all = always;
    const int operands = predicate::operand_count(step.operation);
    for (int k = 0; k < operands; ++k) {
      for (const std::uint32_t divisor : program_[k == 0 ? step.a : step.b].divisors) {
        const std::uint32_t place = place_[divisor];
        const std::uint32_t one =
            add_step(not_zero(out_.places[place].carrier), Carrier::truth, place);
        all = all == always ? one : add_step(both_loop(), Carrier::truth, all, one);
      }
    }
    return all;
  }

  std::uint32_t build_step(const Step& step) {
    const Carrier carrier = carrier_of_step(step);
    switch (step.operation) {
      case Operation::column:
        return add_place({.source = BlockPlace::Source::column,
                          .carrier = columns_[step.column],
                          .column = step.column});
      case Operation::index:
        return add_place({.source = BlockPlace::Source::index, .carrier = Carrier::u64});
      case Operation::constant:
        return add_place(
            {.source = BlockPlace::Source::constant, .carrier = carrier, .value = step});
      case Operation::to_f64: {
        const std::uint32_t wide = converted(step.a, Carrier::f64);
        const std::uint32_t valid = has_value(step);
        return valid == always ? wide : add_step(nan_loop(), Carrier::f64, wide, valid);
      }
      case Operation::both: return add_step(both_loop(), carrier, place_[step.a], place_[step.b]);
      case Operation::either:
        return add_step(either_loop(), carrier, place_[step.a], place_[step.b]);
      case Operation::invert: return add_step(invert_loop(), carrier, place_[step.a]);
      case Operation::less:
      case Operation::less_equal:
      case Operation::equal:
      case Operation::not_equal: return build_comparison(step);
      default: break;
    }
    if (step.kind != Kind::integer) {
      return add_step(arithmetic(step.operation, carrier), carrier, place_[step.a], place_[step.b]);
    }
    return build_integer(step, carrier);
  }

  // Sums and products need no wider type than their result, quotients that of all three.
  std::uint32_t build_integer(const Step& step, Carrier carrier) {
    Carrier working = carrier;
    if (step.operation == Operation::floor_divide || step.operation == Operation::modulo) {
      const Step& a = program_[step.a];
      const Step& b = program_[step.b];
      working =
          carrier_of(std::min({a.low, b.low, step.low}), std::max({a.high, b.high, step.high}));
    }
    const std::uint32_t a = converted(step.a, working);
    const std::uint32_t b = step.operation == Operation::negate ? a : converted(step.b, working);
    const std::uint32_t result = add_step(arithmetic(step.operation, working), working, a, b);
    return working == carrier ? result : add_step(conversion(working, carrier), carrier, result);
  }

  std::uint32_t build_comparison(const Step& step) {
    const std::uint32_t valid = has_value(step);
    Operation operation = step.operation;
    const bool opposite = valid != always && operation == Operation::not_equal;
    if (opposite) operation = Operation::equal;
    const Step& a = program_[step.a];
    const Step& b = program_[step.b];
    std::uint32_t result = 0;
    if (a.kind != b.kind) {
      const bool integer_first = a.kind == Kind::integer;
      const std::uint32_t left = integer_first ? converted(step.a, Carrier::wide) : place_[step.a];
      const std::uint32_t right = integer_first ? place_[step.b] : converted(step.b, Carrier::wide);
      result = add_step(mixed_comparison(operation, integer_first), Carrier::truth, left, right);
    } else if (a.kind == Kind::integer) {
      const Carrier common = carrier_of(std::min(a.low, b.low), std::max(a.high, b.high));
      const std::uint32_t left = converted(step.a, common);
      const std::uint32_t right = converted(step.b, common);
      result = add_step(comparison(operation, common), Carrier::truth, left, right);
    } else {
      result = add_step(comparison(operation, out_.places[place_[step.a]].carrier), Carrier::truth,
                        place_[step.a], place_[step.b]);
    }
    if (valid != always) result = add_step(both_loop(), Carrier::truth, result, valid);
    return opposite ? add_step(invert_loop(), Carrier::truth, result) : result;
  }

  const Program& program_;
  const std::vector<Carrier>& columns_;
  std::vector<std::uint32_t> place_;  // of each step's result
  BlockProgram out_;
};

BlockProgram build_blocks(const Program& program, const std::vector<Carrier>& columns) {
  return Builder(program, columns).build();
}

}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cumulo::cpu {

HWY_EXPORT(build_blocks);

BlockProgram block_program(const predicate::Program& program,
                           const std::vector<Carrier>& column_carriers) {
  return HWY_DYNAMIC_DISPATCH(build_blocks)(program, column_carriers);
}

std::size_t bytes_of(Carrier carrier) {
  switch (carrier) {
    case Carrier::truth: return 1;
    case Carrier::u32:
    case Carrier::i32:
    case Carrier::f32: return 4;
    case Carrier::wide: return 16;
    default: return 8;
  }
}

}  // namespace cumulo::cpu
#endif

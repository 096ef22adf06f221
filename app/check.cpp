#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "cumulo/operator.hpp"

namespace cumulo::app {

const char* const check_promise =
    "--check compares every result with a sequential computation on the CPU.\n"
    "Integers, min and max, and algorithm serial: exactly.\n"
    "add of f32 and f64: |difference| <= 4 (log2 n + 4) eps S, where S is the sum of |x|\n"
    "up to there. mul: the same, relative to the result, with n for log2 n.\n"
    "eps is 2^-23 (f32) or 2^-52 (f64); the sequential sum is taken in f64 (long double).\n"
    "f16: as f32, in which it is added up, and then rounded to f16.\n"
    "--wide of f32: |difference| <= 2^-46 (2 log2 n + 14) S, from a sum in pairs of f64.\n"
    "NaN equals NaN. Where S leaves the type's range, so may the result.";

namespace {

// Computes as the serial algorithm does.
template <Element T>
class ExactReference {
 public:
  using Init = T;
  ExactReference(Operator op, T start) : op_(op), value_(start) {}

  void add(T x) {
    // The first element stands alone: identity + (-0) would be +0.
    value_ = fresh_ ? Combined{x} : combine(op_, value_, Combined{x});
    fresh_ = false;
  }
  void start_with(T init) {
    value_ = init;
    fresh_ = false;
  }
  T expected() const { return value_; }
  bool agrees(T found) const {
    if constexpr (!std::is_integral_v<T>) {
      if (std::isnan(value_)) return std::isnan(found);
    }
    return found == expected();
  }

 private:
  using Combined = CombinedAs<T>;

  Operator op_;
  Combined value_;
  bool fresh_ = true;
};

// Computes add and mul in a wider type and knows how far rounding may have led.
template <Element T>
class RoundedReference {
  using Wide = std::conditional_t<std::is_same_v<T, double>, long double, double>;
  using limits = std::numeric_limits<CombinedAs<T>>;

 public:
  using Init = T;
  RoundedReference(Operator op, std::uint64_t n, T start)
      : multiply_(op == Operator::mul),
        value_(start),
        depth_(multiply_ ? static_cast<Wide>(n) : std::log2(static_cast<Wide>(n + 2))) {}

  void add(T x) {
    const Wide wide = x;
    if (multiply_) {
      value_ *= wide;
      if (x != 0 && std::isfinite(x)) {
        log_ += std::log2(std::abs(wide));
        lowest_ = std::min(lowest_, log_);
        highest_ = std::max(highest_, log_);
      }
    } else {
      value_ += wide;
      if (std::isfinite(x)) magnitude_ += std::abs(wide);
    }
    ++count_;
  }
  void start_with(T init) {
    if (!multiply_) value_ = 0;
    add(init);
  }
  T expected() const { return static_cast<T>(value_); }
  bool agrees(T found) const {
    if (std::isnan(value_)) return std::isnan(found);
    // Some partial result may have left the range where the sequential one did not.
    const bool left_range = multiply_ ? highest_ - lowest_ >= limits::max_exponent - 2
                                      : !(magnitude_ < static_cast<Wide>(limits::max()));
    if (left_range && (multiply_ || !std::isfinite(found))) return true;
    if (std::isinf(static_cast<CombinedAs<T>>(value_))) return found == expected();
    // A device may take numbers below the smallest normal one for 0.
    const Wide flushed = static_cast<Wide>(limits::min()) * static_cast<Wide>(count_ + 1);
    const Wide scale = multiply_ ? std::abs(value_) : magnitude_;
    const Wide eps = limits::epsilon();
    const Wide most = 4 * (depth_ + 4) * eps * scale + flushed;
    if constexpr (!std::is_same_v<T, CombinedAs<T>>) {
      // Rounding keeps the order: the bounds of what was rounded to a half, rounded, bound the
      // half.
      return static_cast<T>(value_ - most) <= found && found <= static_cast<T>(value_ + most);
    }
    return std::abs(static_cast<Wide>(found) - value_) <= most;
  }

 private:
  bool multiply_;
  Wide value_;
  Wide depth_;
  Wide magnitude_ = 0;
  // Of the prefixes' magnitudes, as powers of 2. Any product of neighbours is a quotient of two
  // prefixes, and so no further from 1 than the highest is from the lowest.
  Wide log_ = 0;
  Wide lowest_ = 0;
  Wide highest_ = 0;
  std::uint64_t count_ = 0;
};

// Computes wide sums of f32 as the serial algorithm does.
class PairReference {
 public:
  using Init = float;

  void add(float x) {
    sum_ = fresh_ ? WideFloat{x, 0} : add_wide(sum_, {x, 0});
    fresh_ = false;
  }
  void start_with(float init) { add(init); }
  double expected() const { return static_cast<double>(sum_.high) + static_cast<double>(sum_.low); }
  bool agrees(double found) const {
    return std::isnan(expected()) ? std::isnan(found) : found == expected();
  }

 private:
  WideFloat sum_;
  bool fresh_ = true;
};

// Computes sums of f32 in pairs of f64 and knows how far wide sums may be from them (wide.hpp).
class WideReference {
  using limits = std::numeric_limits<float>;

 public:
  using Init = float;
  explicit WideReference(std::uint64_t n) : depth_(std::log2(static_cast<double>(n + 2))) {}

  void add(float x) {
    const double wide = x;
    const double sum = high_ + wide;
    const double wide_part = sum - high_;
    if (std::isfinite(sum)) low_ += (high_ - (sum - wide_part)) + (wide - wide_part);
    high_ = sum;
    if (std::isfinite(x)) magnitude_ += std::abs(wide);
    ++count_;
  }
  void start_with(float init) { add(init); }
  double expected() const { return high_ + low_; }
  bool agrees(double found) const {
    if (std::isnan(expected())) return std::isnan(found);
    const bool left_range = !(magnitude_ < static_cast<double>(limits::max()));
    if (left_range && !std::isfinite(found)) return true;
    if (std::isinf(expected())) return found == expected();
    // What a device takes for 0, and the rounding of a pair to f64.
    const double flushed = 4 * static_cast<double>(limits::min()) * static_cast<double>(count_ + 1);
    const double rounded = 0x1p-52 * std::abs(expected());
    return std::abs((found - high_) - low_) <=
           0x1p-46 * (2 * depth_ + 14) * magnitude_ + rounded + flushed;
  }

 private:
  double depth_;
  double high_ = 0;
  double low_ = 0;
  double magnitude_ = 0;
  std::uint64_t count_ = 0;
};

template <Element In, Element Out, class Reference>
std::optional<Difference> compare(const ScanDescription& d, const std::vector<In>& in,
                                  const std::vector<Out>& out, Out total, Reference reference) {
  if (d.init) reference.start_with(std::get<typename Reference::Init>(*d.init));
  std::optional<Difference> first;
  const auto look = [&](std::uint64_t index, Out found) {
    // In reverse the comparison runs from the end; the first difference is the one met last.
    if (reference.agrees(found) || (first && !d.reverse)) return;
    const std::string what = index == out.size() ? "the total" : "index " + std::to_string(index);
    first = Difference{what, index, reference.expected(), found};
  };
  const std::uint64_t n = in.size();
  if (d.include_initial) look(d.reverse ? n : 0, out[d.reverse ? n : 0]);
  const bool before = d.kind == ScanKind::exclusive && !d.include_initial;
  const std::uint64_t shift = d.include_initial && !d.reverse ? 1 : 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t element = d.reverse ? n - 1 - i : i;
    if (before) look(element, out[element]);
    reference.add(in[element]);
    if (!before) look(element + shift, out[element + shift]);
    if (first && !d.reverse) return first;
  }
  if (!first) look(out.size(), total);
  return first;
}

template <Element In, Element Out, class Reference>
std::optional<Difference> compare_value(const std::vector<In>& in, Out value, Reference reference) {
  for (const In x : in) reference.add(x);
  if (reference.agrees(value)) return std::nullopt;
  return Difference{"the value", 0, reference.expected(), value};
}

// Of wide sums.
template <Element T>
std::optional<Difference> first_wide_difference(const ScanDescription& d, const Values& in,
                                                const Values& out, const Scalar& total,
                                                bool exact) {
  const auto& x = std::get<std::vector<T>>(in);
  if constexpr (std::is_same_v<T, Half>) {
    const auto& y = std::get<std::vector<float>>(out);
    const float whole = std::get<float>(total);
    const ExactReference<float> serial(Operator::add, 0);
    return exact ? compare(d, x, y, whole, serial)
                 : compare(d, x, y, whole, RoundedReference<float>(Operator::add, x.size(), 0));
  } else if constexpr (std::is_same_v<T, float>) {
    const auto& y = std::get<std::vector<double>>(out);
    const double whole = std::get<double>(total);
    return exact ? compare(d, x, y, whole, PairReference())
                 : compare(d, x, y, whole, WideReference(x.size()));
  } else {
    using Wide = WideOf<T>;
    return compare(d, x, std::get<std::vector<Wide>>(out), std::get<Wide>(total),
                   ExactReference<Wide>(Operator::add, 0));
  }
}

}  // namespace

std::optional<Difference> first_difference(const ScanDescription& description, const Values& in,
                                           const Values& out, const Scalar& total, bool exact) {
  if (description.wide) {
    switch (description.type) {
      case Type::u32:
        return first_wide_difference<std::uint32_t>(description, in, out, total, true);
      case Type::i32: return first_wide_difference<std::int32_t>(description, in, out, total, true);
      case Type::f16: return first_wide_difference<Half>(description, in, out, total, exact);
      default: return first_wide_difference<float>(description, in, out, total, exact);
    }
  }
  return with_type(description.type, [&]<class T>() {
    const auto& x = std::get<std::vector<T>>(in);
    const auto& y = std::get<std::vector<T>>(out);
    const T start = identity<T>(description.op);
    const T whole = std::get<T>(total);
    if constexpr (!std::is_integral_v<T>) {
      const bool rounds = description.op == Operator::add || description.op == Operator::mul;
      if (rounds && !exact) {
        return compare(description, x, y, whole,
                       RoundedReference<T>(description.op, x.size(), start));
      }
    }
    return compare(description, x, y, whole, ExactReference<T>(description.op, start));
  });
}

std::optional<Difference> value_difference(const ScanDescription& description, const Values& in,
                                           const Scalar& value) {
  return with_type(description.type, [&]<class T>() {
    const auto& x = std::get<std::vector<T>>(in);
    const Operator op = description.op;
    if constexpr (std::is_same_v<T, float>) {
      if (description.wide) {
        return compare_value(x, std::get<double>(value), WideReference(x.size()));
      }
    } else if constexpr (std::is_same_v<T, Half>) {
      if (description.wide) {
        return compare_value(x, std::get<float>(value), RoundedReference<float>(op, x.size(), 0));
      }
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == 4) {
      if (description.wide) {
        return compare_value(x, std::get<WideOf<T>>(value), ExactReference<WideOf<T>>(op, 0));
      }
    }
    const T found = std::get<T>(value);
    if constexpr (!std::is_integral_v<T>) {
      if (op == Operator::add || op == Operator::mul) {
        return compare_value(x, found, RoundedReference<T>(op, x.size(), identity<T>(op)));
      }
    }
    return compare_value(x, found, ExactReference<T>(op, identity<T>(op)));
  });
}

}  // namespace cumulo::app

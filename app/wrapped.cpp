#include "wrapped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <variant>
#include <vector>

namespace cumulo::app {
namespace {

// A running sum, and how often it went round the range of its type.
template <class T>
class RunningSum {
 public:
  void take(T x) {
    if (!__builtin_add_overflow(sum_, x, &sum_)) return;
    wrapped_ = true;
    turns_ += x < 0 ? -1 : 1;
  }
  bool any_wrapped() const { return wrapped_; }
  // The total is right again where it came back into the range.
  bool last_wrapped() const { return turns_ != 0; }

 private:
  T sum_ = 0;
  bool wrapped_ = false;
  std::int64_t turns_ = 0;
};

// A running product. It is right again from a factor 0 on.
template <class T>
class RunningProduct {
 public:
  void take(T x) {
    is_outside_ = x != 0 && (__builtin_mul_overflow(product_, x, &product_) || is_outside_);
    if (x == 0) product_ = 0;
    wrapped_ = wrapped_ || is_outside_;
  }
  bool any_wrapped() const { return wrapped_; }
  bool last_wrapped() const { return is_outside_; }

 private:
  T product_ = 1;
  bool is_outside_ = false;
  bool wrapped_ = false;
};

template <class Running, class T>
bool wraps(const ScanDescription& d, const std::vector<T>& values, Results results) {
  Running running;
  if (d.init) running.take(std::get<T>(*d.init));
  if (d.reverse) {
    for (auto x = values.rbegin(); x != values.rend(); ++x) running.take(*x);
  } else {
    for (const T x : values) running.take(x);
  }
  return results == Results::total ? running.last_wrapped() : running.any_wrapped();
}

template <class T>
bool wraps(const ScanDescription& d, const std::vector<T>& values, Results results) {
  return d.op == Operator::mul ? wraps<RunningProduct<T>>(d, values, results)
                               : wraps<RunningSum<T>>(d, values, results);
}

bool fits_u64(const ScanDescription& d, const std::vector<std::int64_t>& values, Results results) {
  if (d.init || std::ranges::any_of(values, [](std::int64_t x) { return x < 0; })) return false;
  return !wraps(d, std::vector<std::uint64_t>(values.begin(), values.end()), results);
}

std::string_view advice(const ScanDescription& d, const Array& in, Results results) {
  const Type type = type_of_values(in.values);
  if (d.op == Operator::add && type == Type::u32) return "--dtype u64 or --wide avoids that";
  if (d.op == Operator::add && type == Type::i32) return "--dtype i64 or --wide avoids that";
  const auto* longs = std::get_if<std::vector<std::int64_t>>(&in.values);
  if (longs != nullptr && fits_u64(d, *longs, results)) return "--dtype u64 avoids that";
  return "--dtype f64 has the range, at 53 bits";
}

}  // namespace

std::optional<std::string> wrapped_note(const ScanDescription& d, const Array& in,
                                        Results results) {
  const bool is_sum = d.op == Operator::add;
  if (!in.inferred || d.wide || (!is_sum && d.op != Operator::mul)) return std::nullopt;
  const bool wrapped = std::visit(
      [&]<class T>(const std::vector<T>& values) {
        if constexpr (std::is_integral_v<T>) {
          return wraps(d, values, results);
        } else {
          return false;
        }
      },
      in.values);
  if (!wrapped) return std::nullopt;
  const Type type = type_of_values(in.values);
  return fmt::format(
      "the {}{} left the range of {}, the type chosen for the text, and wrapped modulo 2^{}; {}",
      is_sum ? "sum" : "product", results == Results::total ? "" : "s", name(type),
      size_of(type) == 4 ? 32 : 64, advice(d, in, results));
}

}  // namespace cumulo::app

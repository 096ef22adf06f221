#include "wrapped.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <variant>
#include <vector>

namespace cumulo::app {
namespace {

// A running sum, and how often it went round the range of its type.
template <class T>
class Turns {
 public:
  void add(T x) {
    if (!__builtin_add_overflow(sum_, x, &sum_)) return;
    wrapped_ = true;
    turns_ += x < 0 ? -1 : 1;
  }
  bool any_prefix_wrapped() const { return wrapped_; }
  // The total is right again where it came back into the range.
  bool total_wrapped() const { return turns_ != 0; }

 private:
  T sum_ = 0;
  bool wrapped_ = false;
  std::int64_t turns_ = 0;
};

template <class T>
bool wraps(const ScanDescription& d, const std::vector<T>& values, Sums sums) {
  Turns<T> turns;
  if (d.init) turns.add(std::get<T>(*d.init));
  if (d.reverse) {
    for (auto x = values.rbegin(); x != values.rend(); ++x) turns.add(*x);
  } else {
    for (const T x : values) turns.add(x);
  }
  return sums == Sums::total ? turns.total_wrapped() : turns.any_prefix_wrapped();
}

}  // namespace

std::optional<std::string> wrapped_note(const ScanDescription& d, const Array& in, Sums sums) {
  if (!in.inferred || d.wide || d.op != Operator::add) return std::nullopt;
  const bool wrapped = std::visit(
      [&]<class T>(const std::vector<T>& values) {
        if constexpr (std::is_integral_v<T>) {
          return wraps(d, values, sums);
        } else {
          return false;
        }
      },
      in.values);
  if (!wrapped) return std::nullopt;
  const Type type = type_of_values(in.values);
  const bool is_narrow = size_of(type) == 4;
  return fmt::format(
      "the {} left the range of {}, the type chosen for the text, and wrapped modulo 2^{}; {}",
      sums == Sums::total ? "sum" : "sums", name(type), is_narrow ? 32 : 64,
      type == Type::u32   ? "--dtype u64 or --wide avoids that"
      : type == Type::i32 ? "--dtype i64 or --wide avoids that"
                          : "--dtype f64 has the range, at 53 bits");
}

}  // namespace cumulo::app

// One word for each thing, the same in C++, JSON and on the command line.
#include <charconv>
#include <cmath>

#include "cumulo/device.hpp"
#include "cumulo/operator.hpp"
#include "cumulo/scan_description.hpp"
#include "cumulo/type.hpp"
#include "predicate/real.hpp"

namespace cumulo {
namespace {

template <class E, std::size_t N>
std::optional<E> parse(const std::array<E, N>& all, std::string_view word) {
  for (const E value : all) {
    if (name(value) == word) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(Type type) {
  constexpr std::array<std::string_view, 7> names{"u32", "i32", "f32", "u64", "i64", "f64", "f16"};
  return names[static_cast<std::size_t>(type)];
}

std::optional<Type> parse_type(std::string_view word) { return parse(all_types, word); }

std::string_view name(Operator op) {
  constexpr std::array<std::string_view, 8> names{"add", "mul", "min", "max",
                                                  "and", "or",  "xor", "add-saturated"};
  return names[static_cast<std::size_t>(op)];
}

std::optional<Operator> parse_operator(std::string_view word) { return parse(all_operators, word); }

std::string_view name(ScanKind kind) {
  return kind == ScanKind::inclusive ? "inclusive" : "exclusive";
}

std::string_view name(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::automatic: return "auto";
    case Algorithm::serial: return "serial";
    case Algorithm::hillis_steele: return "hillis-steele";
    case Algorithm::blelloch: return "blelloch";
    case Algorithm::subgroup: return "subgroup";
    case Algorithm::reduce_then_scan: return "reduce-then-scan";
    case Algorithm::single_pass: return "single-pass";
    case Algorithm::blocked: return "blocked";
  }
  return "unknown";
}

std::optional<Algorithm> parse_algorithm(std::string_view word) {
  return parse(all_algorithms, word);
}

std::string_view name(Backend backend) { return backend == Backend::cpu ? "cpu" : "webgpu"; }

std::string_view name(DeviceKind kind) {
  constexpr std::array<std::string_view, 4> names{"cpu", "software", "integrated", "discrete"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name(ClockKind clock) { return clock == ClockKind::device ? "device" : "wall"; }

std::to_chars_result to_chars(char* first, char* last, Half value) {
  const float exact = value;
  std::array<char, 32> as_float{};
  const auto* const float_end =
      std::to_chars(as_float.data(), as_float.data() + as_float.size(), exact).ptr;
  for (int digits = 1; std::isfinite(exact) && digits <= 5; ++digits) {
    const auto end = std::to_chars(first, last, exact, std::chars_format::general, digits);
    if (end.ec != std::errc{} || end.ptr - first >= float_end - as_float.data()) break;
    const auto read_back = predicate::real_of({first, end.ptr});
    if (read_back && Half(*read_back).bits == value.bits) return end;
  }
  return std::to_chars(first, last, exact);
}

std::string to_string(const Scalar& value) {
  return std::visit(
      [](auto v) -> std::string {
        using std::to_chars;
        if constexpr (!std::is_integral_v<decltype(v)>) {
          if (std::isnan(v)) return "nan";
        }
        std::array<char, 32> text{};
        const auto end = to_chars(text.data(), text.data() + text.size(), v).ptr;
        return {text.data(), end};
      },
      value);
}

std::string operator_name(const ScanDescription& d) {
  return d.monoid ? d.monoid->name : std::string(name(d.op));
}

std::string element_name(const ScanDescription& d) {
  if (d.monoid) return element_name(*d.monoid);
  if (!d.wide) return std::string(name(d.type));
  return "wide " + std::string(name(d.type));
}

namespace {

std::unexpected<Error> refused(std::string what) {
  return std::unexpected{Error{ErrorKind::bad_argument, std::move(what)}};
}

}  // namespace

Type init_type(const ScanDescription& d) {
  if (!d.wide) return d.type;
  switch (d.type) {
    case Type::u32: return Type::u64;
    case Type::i32: return Type::i64;
    default: return Type::f32;
  }
}

Result<void> validate(const ScanDescription& d) {
  if (d.wide && (d.monoid || d.op != Operator::add || size_of(d.type) > 4)) {
    return refused("wide sums are of u32, i32, f32 or f16 by add, not of " +
                   (d.monoid ? element_name(*d.monoid) : std::string(name(d.type))) + " by " +
                   operator_name(d));
  }
  if (d.monoid) {
    if (auto ok = validate(*d.monoid); !ok) return ok;
    if (has_init(d) && d.monoid_init.size() != element_bytes(d)) {
      return std::unexpected{Error{ErrorKind::bad_argument,
                                   "the initial value has " + std::to_string(d.monoid_init.size()) +
                                       " bytes but an element " +
                                       std::to_string(element_bytes(d))}};
    }
    return {};
  }
  if (!is_defined(d.op, d.type)) {
    return std::unexpected{Error{ErrorKind::bad_argument,
                                 "operator " + std::string(name(d.op)) + " is not defined for " +
                                     std::string(name(d.type)) +
                                     " (and, or, xor need integers, add-saturated unsigned ones)"}};
  }
  if (d.init && type_of_scalar(*d.init) != init_type(d)) {
    return refused("the initial value is a " + std::string(name(type_of_scalar(*d.init))) +
                   " but must be " + std::string(name(init_type(d))) + " for elements of " +
                   element_name(d));
  }
  return {};
}

}  // namespace cumulo

// The user's own operator: an associative combine of small structs, as WGSL and as a C++ function.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cumulo/error.hpp"
#include "cumulo/type.hpp"

namespace cumulo {

// What a scan with a monoid may take as elements: structs of 4-byte fields without gaps.
template <class T>
concept MonoidElement = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> &&
                        sizeof(T) % 4 == 0 && sizeof(T) >= 4 && sizeof(T) <= 32;

struct MonoidField {
  std::string name;       // a WGSL identifier
  Type type = Type::f32;  // u32, i32 or f32
};

// A set of elements with an associative combine and its identity. combine(identity, x) and
// combine(x, identity) are x: an element with the identity's bytes is not combined at all.
struct Monoid {
  // Writes the combination of two elements; the three may be the same memory. Called from several
  // threads at once. What it throws ends the call as a bad_argument.
  using Function =
      std::function<void(const std::byte* older, const std::byte* newer, std::byte* combined)>;

  std::string name;                 // for reports: "affine"
  std::vector<MonoidField> fields;  // 1 to 8, in the order of memory, without gaps

  // The body of fn combine(older: Element, newer: Element) -> Element in WGSL, where Element is the
  // struct of the fields. rounded(x) is x as f32: around a product it keeps a device from fusing
  // the product with the sum that follows, which would change the last bit.
  std::string wgsl;

  std::vector<std::byte> identity;  // the bytes of one element
  // True only if combine(a, b) always has the bits of combine(b, a): kernels may then swap the two.
  bool commutative = false;
  Function combine = nullptr;  // for the CPU backend; without one it refuses the scan

  // Where `wgsl` was read from, for the compiler's messages: a file, and the line of its first
  // line.
  std::string source = {};
  std::uint32_t first_line = 1;

  std::size_t element_bytes() const { return 4 * fields.size(); }
};

// bad_argument: no field or more than eight, a field's name or type, the identity's size, no wgsl.
// Whether the WGSL compiles is said by the device that runs it.
Result<void> validate(const Monoid& monoid);

// "(a: f32, b: f32)"
std::string element_name(const Monoid& monoid);

// bad_argument where the monoid's elements have not so many bytes.
Result<void> check_element_size(const Monoid& monoid, std::size_t bytes);

template <MonoidElement T>
std::vector<std::byte> bytes_of(const T& element) {
  const auto bytes = std::as_bytes(std::span{&element, 1});
  return {bytes.begin(), bytes.end()};
}

// A C++ function of two elements, as Monoid::combine.
template <MonoidElement T, class F>
  requires std::is_invocable_r_v<T, F, T, T>
Monoid::Function combine_function(F function) {
  return [function](const std::byte* older, const std::byte* newer, std::byte* combined) {
    T a;
    T b;
    std::memcpy(&a, older, sizeof(T));
    std::memcpy(&b, newer, sizeof(T));
    const T result = function(a, b);
    std::memcpy(combined, &result, sizeof(T));
  };
}

// The map x -> a x + b. A scan composes maps, the older one applied first: recurrences such as
// y[i] = a[i] y[i - 1] + b[i].
struct Affine {
  float a = 1;
  float b = 0;
  bool operator==(const Affine&) const = default;
};
Monoid affine_monoid();

// A matrix by rows. A scan multiplies matrices from left to right: older * newer.
struct Matrix2x2 {
  std::array<float, 4> rows{1, 0, 0, 1};
  bool operator==(const Matrix2x2&) const = default;
};
Monoid matrix_monoid();

// The last u32 so far that is not 0: fills gaps with the value before them.
Monoid last_nonzero_monoid();

}  // namespace cumulo

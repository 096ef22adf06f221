// What decides whether an element is kept: a condition on it, on its index and on the elements of
// that index in other columns, as WGSL and as a C++ function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "cumulo/error.hpp"
#include "cumulo/type.hpp"

namespace cumulo {

// An array that a predicate reads; element i decides with the others of index i.
struct PredicateColumn {
  std::string name = "x";  // for messages
  Type type = Type::u32;
  // Of structs: how many 4-byte words they have, 1 to 16; `type` is then ignored. 0: no struct.
  std::uint32_t words = 0;

  std::uint32_t element_bytes() const {
    return words > 0 ? 4 * words : static_cast<std::uint32_t>(size_of(type));
  }
};

// A condition on elements. It must give the same answer for the same values, whenever it is asked.
struct Predicate {
  // Decides for `count` elements, of which the first has index `first`: keep[k] is 1 or 0 for
  // element first + k. columns[c] points to column c's element number `first`; no array is aligned
  // beyond its element's words. Called from several threads at once. What it throws ends the call
  // as a bad_argument.
  using Function = std::function<void(const std::byte* const* columns, std::uint64_t first,
                                      std::uint32_t count, std::uint8_t* keep)>;

  std::string name;  // for reports: "x > 3"
  std::vector<PredicateColumn>
      columns;  // what it reads, in the order of the call's arrays; up to 8

  // The body of fn keep(i: u32, x: C0, c1: C1, ...) -> bool in WGSL: "return x > 3u;". i is the
  // element's index; column 0 is called x, column k ck. A column's type is u32, i32 or f32 as it
  // is, vec2<u32>(low, high) for 64-bit integers and the bits of f64, array<u32, words> for
  // structs. rounded(x) is x as f32, as in Monoid. It may use its arguments and variables of its
  // own, nothing else.
  std::string wgsl;
  // Functions that it calls, at module scope; their names must begin with "keep_".
  std::string wgsl_functions = {};

  Function function = nullptr;  // for the CPU backend; without one it refuses the call

  // Where `wgsl` was read from, for the compiler's messages.
  std::string source = {};
};

// bad_argument: no wgsl, more than eight columns, a column's words.
Result<void> validate(const Predicate& predicate);

// Makes a Predicate::function of a C++ function of one element and its index; the only column holds
// elements of T.
template <class T, class F>
  requires std::is_trivially_copyable_v<T> && std::is_invocable_r_v<bool, F, T, std::uint64_t>
Predicate::Function predicate_function(F function) {
  return [function](const std::byte* const* columns, std::uint64_t first, std::uint32_t count,
                    std::uint8_t* keep) {
    for (std::uint32_t k = 0; k < count; ++k) {
      T element;
      std::memcpy(&element, columns[0] + k * sizeof(T), sizeof(T));
      keep[k] = function(element, first + k) ? 1 : 0;
    }
  };
}

}  // namespace cumulo

// Elements that are no plain numbers, and how they combine, in plain code.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cpu/thread_errors.hpp"
#include "cumulo/monoid.hpp"
#include "cumulo/wide.hpp"

namespace cumulo::cpu {

// Of a monoid, by its C++ function.
template <std::size_t words>
class MonoidElements {
 public:
  using Value = std::array<std::uint32_t, words>;
  using Input = Value;
  using Output = Value;

  explicit MonoidElements(const Monoid& monoid) : function_(monoid.combine) {
    std::memcpy(&identity_, monoid.identity.data(), sizeof(Value));
  }

  Value absent() const { return identity_; }
  const Value& lift(const Value& x) const { return x; }
  const Value& lower(const Value& x) const { return x; }

  // What has the identity's bytes is left out, as in every kernel.
  Value combine(const Value& older, const Value& newer) const {
    if (older == identity_) return newer;
    if (newer == identity_) return older;
    Value combined;
    call_callers([&] {
      function_(reinterpret_cast<const std::byte*>(&older),
                reinterpret_cast<const std::byte*>(&newer),
                reinterpret_cast<std::byte*>(&combined));
    });
    return combined;
  }

 private:
  const Monoid::Function& function_;
  Value identity_;
};

// Of a wide sum of f32.
struct WideFloatElements {
  using Value = WideFloat;
  using Input = float;
  using Output = Value;

  Value absent() const { return absent_wide; }
  Value lift(float x) const { return {x, 0}; }
  Value lower(Value x) const { return x; }
  Value combine(Value older, Value newer) const {
    if (is_absent(older)) return newer;
    if (is_absent(newer)) return older;
    return add_wide(older, newer);
  }

 private:
  // Comparing floats would take -0 for +0.
  static bool is_absent(Value x) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(absent_wide);
  }
};

}  // namespace cumulo::cpu

// The CPU backend's scan with a monoid, by its C++ function.
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "cpu/blocked_scan.hpp"
#include "cpu/ordered_strip.hpp"
#include "cpu/scan.hpp"
#include "cpu/thread_errors.hpp"

namespace cumulo::cpu {
namespace {

template <std::size_t words>
class MonoidAlgebra {
 public:
  using Value = std::array<std::uint32_t, words>;
  using Input = Value;
  static constexpr bool streams = false;

  explicit MonoidAlgebra(const Monoid& monoid) : function_(monoid.combine) {
    std::memcpy(&identity_, monoid.identity.data(), sizeof(Value));
  }

  Value absent() const { return identity_; }
  const Value& lift(const Value& x) const { return x; }

  // What has the identity's bytes is left out, as in every kernel.
  Value combine(const Value& older, const Value& newer) const {
    if (older == identity_) return newer;
    if (newer == identity_) return older;
    Value combined;
    function_(reinterpret_cast<const std::byte*>(&older),
              reinterpret_cast<const std::byte*>(&newer), reinterpret_cast<std::byte*>(&combined));
    return combined;
  }

  void totals(const Value* in, std::size_t strips, Value* totals) const {
    for (std::size_t s = 0; s < strips; ++s) {
      totals[s] = strip_total(in + s * order::strip, *this);
    }
  }
  void scan(const Value* in, Value* out, const Value& base, ScanKind kind, const Value*) const {
    ordered_scan_strip(in, out, base, kind, identity_, *this);
  }
  void stream(const Value* in, Value* out, const Value& base, ScanKind kind,
              const Value* ahead) const {
    scan(in, out, base, kind, ahead);
  }

  Value operator()(const Value& older, const Value& newer) const { return combine(older, newer); }

 private:
  const Monoid::Function& function_;
  Value identity_;
};

template <std::size_t words>
std::vector<std::byte> scan_words(const ScanDescription& d, const void* in, void* out) {
  using Algebra = MonoidAlgebra<words>;
  using Value = typename Algebra::Value;
  const Algebra algebra(*d.monoid);
  Value first = algebra.absent();
  if (has_init(d)) std::memcpy(&first, d.monoid_init.data(), sizeof(Value));
  const Value total = scan_described(
      d, first, static_cast<const Value*>(in), static_cast<Value*>(out),
      [&](const std::optional<Value>& start, const Value* from, Value* to) {
        if (d.algorithm == Algorithm::serial) return scan_serially(algebra, d, start, from, to);
        return BlockedScan(algebra, d, start.value_or(algebra.absent()), from, to).run();
      });
  return bytes_of(total);
}

template <std::size_t... words>
std::vector<std::byte> scan_of_size(const ScanDescription& d, const void* in, void* out,
                                    std::index_sequence<words...>) {
  std::vector<std::byte> total;
  const std::size_t wanted = d.monoid->fields.size();
  ((words + 1 == wanted ? void(total = scan_words<words + 1>(d, in, out)) : void()), ...);
  return total;
}

}  // namespace

Result<std::vector<std::byte>> scan_monoid(const ScanDescription& d, const void* in, void* out) {
  if (auto ok = check(d); !ok) return std::unexpected{std::move(ok.error())};
  return without_exceptions([&]() -> Result<std::vector<std::byte>> {
    return scan_of_size(d, in, out, std::make_index_sequence<8>{});
  });
}

}  // namespace cumulo::cpu

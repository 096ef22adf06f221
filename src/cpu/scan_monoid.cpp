// The CPU backend's scan with a monoid, by its C++ function.
#include <cstdint>
#include <cstring>
#include <utility>

#include "cpu/blocked_scan.hpp"
#include "cpu/elements.hpp"
#include "cpu/ordered_strip.hpp"
#include "cpu/scan.hpp"
#include "cpu/thread_errors.hpp"

namespace cumulo::cpu {
namespace {

template <std::size_t words>
std::vector<std::byte> scan_words(const ScanDescription& d, const void* in, void* out) {
  using Algebra = PlainStrips<MonoidElements<words>>;
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

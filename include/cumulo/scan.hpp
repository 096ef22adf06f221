// Prefix scans. With + for the operator and x for the input of n elements:
//   inclusive[i] = [init +] x[0] + ... + x[i]         init only where one is given
//   exclusive[i] = init + x[0] + ... + x[i-1]         init: the one given, else the identity
// reverse counts i from the end. The order of combination is fixed (order.hpp): the same input
// gives the same bits in every run, by every algorithm but the teaching forms. f16 is combined in
// f32, and each result rounded once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cumulo/device.hpp"
#include "cumulo/error.hpp"
#include "cumulo/host_array.hpp"
#include "cumulo/monoid.hpp"
#include "cumulo/operator.hpp"
#include "cumulo/plan.hpp"
#include "cumulo/run.hpp"
#include "cumulo/scan_description.hpp"
#include "cumulo/type.hpp"
#include "cumulo/wide.hpp"

namespace cumulo {

struct ScanOptions {
  Operator op = Operator::add;
  bool reverse = false;
  std::optional<Scalar> init = std::nullopt;  // of the element type; enters every result once
  bool include_initial = false;               // n + 1 results: the initial value before all others
  Algorithm algorithm = Algorithm::automatic;
};

// What a run was, beside its values.
struct ScanReport {
  // [init +] x[0] + ... + x[n-1]: the last inclusive value. Of no elements init, else the identity.
  Scalar total;                        // of a WideFloat its value in f64; of a monoid not set
  std::vector<std::byte> total_bytes;  // its bytes, of a monoid too
  std::string algorithm;
  std::optional<Counts> counts = std::nullopt;  // of the teaching forms
  std::optional<Timing> timing = std::nullopt;  // when asked for
};

// Scans host memory: in.size() == n elements, out.size() == result_count(description) elements, in
// bytes. in and out are the same memory (not with wide) or do not overlap. Uploads, runs, waits and
// downloads. Errors: bad_argument (sizes, operator not defined for the type), unsupported (named
// limit), out_of_memory, device_lost, validation, stalled.
Result<ScanReport> scan_bytes(Device& device, const ScanDescription& description,
                              std::span<const std::byte> in, std::span<std::byte> out,
                              const RunOptions& run = {});

template <class T>
struct Scanned {
  std::vector<T> values;
  T total;
  ScanReport report;
};

inline ScanDescription describe_scan(std::uint64_t n, Type type, ScanKind kind,
                                     const ScanOptions& options) {
  return {.n = n,
          .type = type,
          .op = options.op,
          .kind = kind,
          .reverse = options.reverse,
          .init = options.init,
          .include_initial = options.include_initial,
          .algorithm = options.algorithm};
}

// scan_bytes() into a vector of T, whose size must be that of one result.
template <class T>
Result<Scanned<T>> scan_into(Device& device, const ScanDescription& description,
                             std::span<const std::byte> in, const RunOptions& run = {}) {
  auto out = host_array<T>(result_count(description));
  if (!out) return std::unexpected{std::move(out.error())};
  auto report = scan_bytes(device, description, in, std::as_writable_bytes(std::span{*out}), run);
  if (!report) return std::unexpected{std::move(report.error())};
  T total;
  std::memcpy(&total, report->total_bytes.data(), sizeof(T));
  return Scanned<T>{std::move(*out), total, std::move(*report)};
}

// Scans host memory and returns the values with their total.
template <Element T>
Result<Scanned<T>> scan(Device& device, ScanKind kind, std::span<const T> values,
                        const ScanOptions& options = {}, const RunOptions& run = {}) {
  return scan_into<T>(device, describe_scan(values.size(), type_of<T>, kind, options),
                      std::as_bytes(values), run);
}

template <Element T>
Result<std::vector<T>> inclusive_scan(Device& device, std::span<const T> values,
                                      const ScanOptions& options = {}) {
  auto scanned = scan(device, ScanKind::inclusive, values, options);
  if (!scanned) return std::unexpected{std::move(scanned.error())};
  return std::move(scanned->values);
}

template <Element T>
Result<std::vector<T>> exclusive_scan(Device& device, std::span<const T> values,
                                      const ScanOptions& options = {}) {
  auto scanned = scan(device, ScanKind::exclusive, values, options);
  if (!scanned) return std::unexpected{std::move(scanned.error())};
  return std::move(scanned->values);
}

// Options of a scan with a monoid of elements T.
template <MonoidElement T>
struct MonoidOptions {
  bool reverse = false;
  std::optional<T> init = std::nullopt;  // enters every result once
  bool include_initial = false;          // n + 1 results: the initial value before all others
  Algorithm algorithm = Algorithm::automatic;
};

// Scans host memory by a monoid, older elements on the left. T has the monoid's fields.
// Errors: those of scan_bytes; a WGSL text that does not compile is a bad_argument.
template <MonoidElement T>
Result<Scanned<T>> scan(Device& device, ScanKind kind, std::span<const T> values,
                        const Monoid& monoid, const MonoidOptions<T>& options = {},
                        const RunOptions& run = {}) {
  if (auto fits = check_element_size(monoid, sizeof(T)); !fits) {
    return std::unexpected{std::move(fits.error())};
  }
  const ScanDescription description{
      .n = values.size(),
      .kind = kind,
      .reverse = options.reverse,
      .include_initial = options.include_initial,
      .algorithm = options.algorithm,
      .monoid = monoid,
      .monoid_init = options.init ? bytes_of(*options.init) : std::vector<std::byte>{}};
  return scan_into<T>(device, description, std::as_bytes(values), run);
}

// Sums of u32 as u64, of i32 as i64, of f32 as WideFloat, of f16 as f32. options.op must be add;
// options.init is a u64 for u32, an i64 for i32, an f32 for f32 and f16.
template <class T>
Result<Scanned<WideOf<T>>> wide_scan(Device& device, ScanKind kind, std::span<const T> values,
                                     const ScanOptions& options = {}, const RunOptions& run = {}) {
  ScanDescription description = describe_scan(values.size(), type_of<T>, kind, options);
  description.wide = true;
  return scan_into<WideOf<T>>(device, description, std::as_bytes(values), run);
}

// A scan of one description, prepared once and run as often as wanted over buffers of its device.
// Owns its pipelines, parameters and scratch. Move-only; one run at a time.
class PreparedScan {
 public:
  PreparedScan(PreparedScan&&) noexcept;
  PreparedScan& operator=(PreparedScan&&) noexcept;
  ~PreparedScan();

  const ScanDescription& description() const;
  const Plan* plan() const;  // null on the CPU backend, which interprets no plans

  // out[out_offset...] = scan of in[in_offset...]; offsets in elements. Submits; does not wait.
  // The two may be one buffer when the offsets are equal (in place).
  Result<void> run(const Buffer& in, const Buffer& out, std::uint64_t in_offset = 0,
                   std::uint64_t out_offset = 0);

  // The same for a scan prepared as counted: count[count_at], a u32, is the number of elements,
  // read when the device comes to the run. A number above description().n is taken as
  // description().n. Results past the last element stay as they are. The CPU backend reads the
  // count at the call.
  Result<void> run_counted(const Buffer& in, const Buffer& out, const Buffer& count,
                           std::uint64_t count_at = 0, std::uint64_t in_offset = 0,
                           std::uint64_t out_offset = 0);

  // Waits for the runs submitted so far. stalled: a single pass could not finish one of them, and
  // its results are not valid (scan() and scan_bytes() then fall back by themselves).
  Result<void> finish();

  struct Impl;
  explicit PreparedScan(std::unique_ptr<Impl> impl);
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Compiles for the usual case, separate and aligned buffers; for others their first run does.
// Allocates; submits nothing.
Result<PreparedScan> prepare_scan(Device& device, const ScanDescription& description,
                                  const PrepareOptions& options = {});

}  // namespace cumulo

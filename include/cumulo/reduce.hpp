// Reductions. With + for the operator and x for the input of n elements:
//   value = x[0] + ... + x[n-1]
// and the operator's identity where n is 0. It is the total of an inclusive scan, to the bit: the
// order of combination is fixed (order.hpp), so the same input gives the same bits in every run and
// on every device, and operators that do not commute are right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cumulo/device.hpp"
#include "cumulo/error.hpp"
#include "cumulo/monoid.hpp"
#include "cumulo/operator.hpp"
#include "cumulo/plan.hpp"
#include "cumulo/reduce_description.hpp"
#include "cumulo/run.hpp"
#include "cumulo/type.hpp"
#include "cumulo/wide.hpp"

namespace cumulo {

struct ReduceReport {
  Scalar value;                        // of a WideFloat its value in f64; of a monoid not set
  std::vector<std::byte> value_bytes;  // its bytes, of a monoid too
  std::string algorithm;
  std::optional<Timing> timing = std::nullopt;  // when asked for
};

// Reduces host memory: in.size() == n elements, in bytes. Uploads, runs, waits and downloads. Reads
// the input once: up to a few thousand elements in one dispatch, else in one for each binding's
// worth of input and one more, with temporary memory for a few thousand elements a binding's worth.
// Errors: bad_argument (size, operator not defined for the type, a monoid's WGSL that does not
// compile), unsupported (named limit), out_of_memory, device_lost, validation, stalled.
Result<ReduceReport> reduce_bytes(Device& device, const ReduceDescription& description,
                                  std::span<const std::byte> in, const RunOptions& run = {});

// The value alone, as a T, whose size must be the value's.
template <class T>
Result<T> reduce_to(Device& device, const ReduceDescription& description,
                    std::span<const std::byte> in) {
  auto report = reduce_bytes(device, description, in);
  if (!report) return std::unexpected{std::move(report.error())};
  T value;
  std::memcpy(&value, report->value_bytes.data(), sizeof(T));
  return value;
}

template <Element T>
Result<T> reduce(Device& device, std::span<const T> values, Operator op = Operator::add) {
  return reduce_to<T>(device, {.n = values.size(), .type = type_of<T>, .op = op},
                      std::as_bytes(values));
}

// By a monoid, older elements on the left. T has the monoid's fields.
template <MonoidElement T>
Result<T> reduce(Device& device, std::span<const T> values, const Monoid& monoid) {
  if (auto fits = check_element_size(monoid, sizeof(T)); !fits) {
    return std::unexpected{std::move(fits.error())};
  }
  return reduce_to<T>(device, {.n = values.size(), .monoid = monoid}, std::as_bytes(values));
}

// The sum of u32 as u64, of i32 as i64, of f32 as WideFloat, of f16 as f32.
template <class T>
Result<WideOf<T>> wide_reduce(Device& device, std::span<const T> values) {
  return reduce_to<WideOf<T>>(device, {.n = values.size(), .type = type_of<T>, .wide = true},
                              std::as_bytes(values));
}

// A reduction of one description, prepared once and run as often as wanted over buffers of its
// device. Owns its pipelines, parameters and scratch. Move-only; one run at a time.
class PreparedReduce {
 public:
  PreparedReduce(PreparedReduce&&) noexcept;
  PreparedReduce& operator=(PreparedReduce&&) noexcept;
  ~PreparedReduce();

  const ReduceDescription& description() const;
  const Plan* plan() const;  // null on the CPU backend, which interprets no plans

  // out[out_offset] = value of in[in_offset...]. Offsets are in elements: in_offset in those of the
  // input, out_offset in those of the value. Both may be in one buffer if they do not overlap.
  // Submits; does not wait (the CPU backend is done when it returns).
  Result<void> run(const Buffer& in, const Buffer& out, std::uint64_t in_offset = 0,
                   std::uint64_t out_offset = 0);

  // The same for a reduction prepared as counted: see PreparedScan::run_counted(). Of no elements
  // the value is the identity.
  Result<void> run_counted(const Buffer& in, const Buffer& out, const Buffer& count,
                           std::uint64_t count_at = 0, std::uint64_t in_offset = 0,
                           std::uint64_t out_offset = 0);

  struct Impl;
  explicit PreparedReduce(std::unique_ptr<Impl> impl);
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Compiles for the usual case, separate and aligned buffers; for others their first run does.
// Allocates; submits nothing.
Result<PreparedReduce> prepare_reduce(Device& device, const ReduceDescription& description,
                                      const PrepareOptions& options = {});

}  // namespace cumulo

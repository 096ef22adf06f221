// What compact, partition, unique and runs are made of: selecting elements in their order, from
// host memory in bytes, or prepared for buffers of a device.
//
// Every run writes the same. Outputs may not overlap any other array of the call. At most
// min(n, capacity) results are written; what an output holds behind the last result stays as it
// was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cumulo/device.hpp"
#include "cumulo/error.hpp"
#include "cumulo/plan.hpp"
#include "cumulo/run.hpp"
#include "cumulo/selection_description.hpp"

namespace cumulo {

// The arrays of a call. Those that the description does not ask for stay empty.
struct SelectionInput {
  std::vector<std::span<const std::byte>> arrays;  // n elements each
  std::span<const std::byte> flags = {};           // flag_bytes(flags, n), or n bytes of u8
};
struct SelectionOutput {
  std::vector<std::span<std::byte>> kept;  // of each kept array; result_count() elements each
  std::span<std::uint32_t> indices = {};
  std::span<std::uint32_t> lengths = {};
};

// What a run was, beside its results.
struct SelectionReport {
  std::uint64_t count = 0;   // elements selected, or runs; may be more than the capacity
  std::uint64_t second = 0;  // with Rest::three_way: selected by the second predicate alone
  std::string algorithm;
  std::optional<Timing> timing = std::nullopt;  // when asked for
};

// Selects in host memory. Uploads, runs, waits and downloads. Errors: bad_argument (sizes, a
// description that contradicts itself), unsupported (named limit), out_of_memory, device_lost,
// validation.
Result<SelectionReport> select_bytes(Device& device, const SelectionDescription& description,
                                     const SelectionInput& in, const SelectionOutput& out,
                                     const RunOptions& run = {});

// Where the arrays of a run lie on the device. Each offset is a multiple of its elements' size (of
// 4 for flags and counts).
template <class Place>
struct SelectionPlaces {
  std::vector<Place> arrays;  // n elements each
  Place flags = {};
  std::vector<Place> kept;  // one for each kept array; result_count() elements each
  Place indices = {};
  Place lengths = {};
  Place counts = {};  // count_words() words, which every run writes
  Place n = {};       // with PrepareOptions::counted: a u32, the number of elements
};
using SelectionBuffers = SelectionPlaces<BufferView>;

// A selection of one description, prepared once and run as often as wanted over buffers of its
// device. Owns its pipelines, parameters and scratch. Move-only; one run at a time.
class PreparedSelection {
 public:
  PreparedSelection(PreparedSelection&&) noexcept;
  PreparedSelection& operator=(PreparedSelection&&) noexcept;
  ~PreparedSelection();

  const SelectionDescription& description() const;
  const Plan* plan() const;  // null on the CPU backend, which interprets no plans

  // Submits; does not wait (the CPU backend is done when it returns). Results, and how many there
  // are, stay on the device: `counts` of one call can be `n` of the next. Where counted, a number
  // above description().n is taken as description().n.
  Result<void> run(const SelectionBuffers& buffers);

  // Waits for the runs submitted so far. stalled: a single pass could not finish one of them, and
  // its results are not valid (select_bytes() then falls back by itself).
  Result<void> finish();

  struct Impl;
  explicit PreparedSelection(std::unique_ptr<Impl> impl);
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Compiles for the usual case, separate and aligned buffers; for others their first run does.
// Allocates; submits nothing.
// A predicate's WGSL that does not compile is a bad_argument with the compiler's message.
Result<PreparedSelection> prepare_selection(Device& device, const SelectionDescription& description,
                                            const PrepareOptions& options = {});

// How the caller's buffers lie, in the order of the plan's first buffers: arrays, flags, kept,
// indices, lengths, counts, n, as far as there are any.
struct SelectionLayout {
  bool same_buffer = false;  // an output shares a buffer with an input, without overlap
  // How far after an offset that can be bound the first element lies, in elements; missing ones: 0.
  std::vector<std::uint32_t> misalignments = {};
  bool counted = false;
  std::uint32_t withhold = 0;  // for tests: see PlanOptions

  bool operator==(const SelectionLayout&) const = default;
};

// The plan, whose first buffers are the caller's in the order of SelectionLayout.
// unsupported where a limit of the device stands in the way (the sentence names it).
Result<Plan> plan_selection(const SelectionDescription& description, const Traits& traits,
                            const SelectionLayout& layout = {});

}  // namespace cumulo

// Arguments of WebGPU's indirect calls, written on the device from a number that it has counted:
// the pass that follows a compaction, an allocation or an expansion needs no read-back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cumulo/device.hpp"
#include "cumulo/error.hpp"
#include "cumulo/plan.hpp"
#include "cumulo/run.hpp"

namespace cumulo {

// The words that WebGPU reads for each call; `count` is the number, `per` that of IndirectForm:
enum class IndirectCall : std::uint8_t {
  dispatch,           // x, y, z: ceil(count / per) workgroups, folded where one dimension is short
  vertices,           // count * per vertices, 1 instance, 0, 0
  instances,          // per vertices, count instances, 0, 0
  indices,            // count * per indices, 1 instance, 0, 0, 0
  indexed_instances,  // per indices, count instances, 0, 0, 0
};

struct IndirectForm {
  IndirectCall call = IndirectCall::dispatch;
  // What one workgroup takes of the count, or the vertices or indices of each one counted; at
  // least 1. A product above 2^32 - 1 becomes the largest multiple of `per` that is not.
  std::uint32_t per = 1;
  // Of an allocation: counts the items that fit, not the units that they take.
  bool of_items = false;

  bool operator==(const IndirectForm&) const = default;
};

// A folded grid may have more workgroups than asked for; the surplus ones have to do nothing.
std::uint64_t argument_bytes(const IndirectForm& form);
// The forms lie one after the other: the bytes of all of them, and where those of one form begin.
std::uint64_t argument_bytes(std::span<const IndirectForm> forms);
std::uint64_t argument_offset(std::span<const IndirectForm> forms, std::size_t form);

// Arguments from any count on a device, such as a compaction's.
struct ArgumentsDescription {
  std::vector<IndirectForm> forms;
  std::uint32_t capacity = 0xFFFFFFFF;  // a larger count is taken as this
};

// The words of all forms, on the host. most_groups: workgroups in one dimension of a grid.
std::vector<std::uint32_t> indirect_arguments(const ArgumentsDescription& description,
                                              std::uint64_t count,
                                              std::uint32_t most_groups = 65535);

template <class Place>
struct ArgumentsPlaces {
  Place count = {};      // a u32
  Place arguments = {};  // argument_bytes() of it; for the call itself, with usage indirect
};
using ArgumentsBuffers = ArgumentsPlaces<BufferView>;

// As PreparedScan: prepared once, run as often as wanted; run() submits and does not wait.
class PreparedArguments {
 public:
  PreparedArguments(PreparedArguments&&) noexcept;
  PreparedArguments& operator=(PreparedArguments&&) noexcept;
  ~PreparedArguments();

  const ArgumentsDescription& description() const;
  const Plan* plan() const;  // null on the CPU backend

  Result<void> run(const ArgumentsBuffers& buffers);

  struct Impl;
  explicit PreparedArguments(std::unique_ptr<Impl> impl);
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// bad_argument: no forms, `per` of 0, more than 16 forms.
Result<PreparedArguments> prepare_arguments(Device& device,
                                            const ArgumentsDescription& description);

// How far after an offset that can be bound count and arguments begin, in words.
struct ArgumentsLayout {
  bool same_buffer = false;  // both lie in one buffer
  std::uint32_t count_misalignment = 0;
  std::uint32_t arguments_misalignment = 0;
};
// The plan's first buffers are count and arguments.
Result<Plan> plan_arguments(const ArgumentsDescription& description, const Traits& traits,
                            const ArgumentsLayout& layout = {});

}  // namespace cumulo

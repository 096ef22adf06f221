// A plan: everything a device is to do, as a plain value. Made from a description and the traits of
// a device before any device exists; the same on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cumulo/error.hpp"
#include "cumulo/reduce_description.hpp"
#include "cumulo/scan_description.hpp"
#include "cumulo/traits.hpp"

namespace cumulo {

// What an algorithm does in one run, worked out from its structure. Additions, for example:
// n log2 n - (n - 1) of Hillis-Steele, about 2 n of Blelloch, n - 1 of the loop.
struct Counts {
  std::uint64_t steps = 0;           // sweeps over the data, one after the other
  std::uint64_t additions = 0;       // combines of two elements
  std::uint64_t barriers = 0;        // workgroup barriers each invocation meets
  std::uint64_t subgroup_calls = 0;  // calls of a subgroup scan builtin, one a subgroup
  bool operator==(const Counts&) const = default;
};

enum class BufferRole : std::uint8_t {
  input,       // the caller's
  output,      // the caller's, or a result made beside it
  count,       // the caller's: a number of elements, known on the device only
  scratch,     // of use within a run only, but see Plan::renewal
  parameters,  // a few words that kernels read as a uniform
};

struct PlanBuffer {
  std::string name;
  std::uint64_t bytes = 0;
  BufferRole role = BufferRole::scratch;
  std::vector<std::uint32_t> contents = {};  // initial words of a parameters buffer
};

struct PlanKernel {
  std::string name;
  std::string wgsl;                  // complete source, entry point "main"
  std::uint32_t workgroup_size = 1;  // invocations in x
};

// A range of a buffer bound to @group(0) @binding(index in the dispatch's list).
struct PlanBinding {
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0;  // bytes
  std::uint64_t bytes = 0;
};

// Where an earlier step writes the three words of a grid.
struct PlanGrid {
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0;  // bytes, a multiple of 4
};

struct DispatchStep {
  std::string label;
  std::uint32_t kernel = 0;
  std::vector<PlanBinding> bindings;
  std::array<std::uint32_t, 3> workgroups{1, 1, 1};  // with `indirect`, the most there can be
  std::optional<PlanGrid> indirect = std::nullopt;   // the grid is read on the device
};

struct ClearStep {
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct CopyStep {
  std::uint32_t from = 0;
  std::uint64_t from_offset = 0;
  std::uint32_t to = 0;
  std::uint64_t to_offset = 0;
  std::uint64_t bytes = 0;
};

using PlanStep = std::variant<DispatchStep, ClearStep, CopyStep>;

// A word of flags that kernels set. status_stalled: a kernel could not finish, the results are not
// valid. status_clamped: the count on the device was above Plan::n, and n elements were taken.
inline constexpr std::uint32_t status_stalled = 1;
inline constexpr std::uint32_t status_clamped = 2;

struct PlanStatus {
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0;  // bytes
};

// Scratch that must be cleared before every `runs`-th run: after so many its tags recur.
struct PlanRenewal {
  std::uint32_t buffer = 0;
  std::uint32_t runs = 0;
};

// One step of a traced scan: what becomes of its array of n elements.
struct TraceStep {
  using Pairs = std::vector<std::array<std::uint32_t, 2>>;  // from, to

  std::string label;
  Pairs additions = {};  // `to` becomes `from` combined with `to`
  Pairs moves = {};      // `to` becomes `from`, or what a builtin makes of it
  std::uint32_t barriers = 0;
};

// A buffer with copies of the kernel's array: before the first step, then after each step.
struct PlanTrace {
  std::uint32_t buffer = 0;
  std::vector<TraceStep> steps;
};

struct Plan {
  std::string primitive;
  std::string algorithm;
  std::uint64_t n = 0;
  bool counted =
      false;  // n is the most elements there can be; the buffer of role count has how many
  std::vector<PlanBuffer> buffers;
  std::vector<PlanKernel> kernels;
  std::vector<PlanStep> steps;
  std::optional<Counts> counts = std::nullopt;
  std::optional<PlanStatus> status = std::nullopt;
  std::optional<PlanRenewal> renewal = std::nullopt;
  std::optional<PlanTrace> trace = std::nullopt;
  std::vector<std::string> notes = {};  // why this algorithm and shape
};

std::uint64_t scratch_bytes(const Plan& plan);
// Whether all steps are dispatches: those fit one compute pass.
bool dispatches_alone(const Plan& plan);

std::string to_text(const Plan& plan);
std::string to_json(const Plan& plan, bool with_wgsl = false);

// How the caller's input and output lie in memory.
enum class Aliasing : std::uint8_t {
  none,         // two buffers
  in_place,     // the same range of one buffer
  same_buffer,  // disjoint ranges of one buffer
};

// The distance, in elements, between offsets that are multiples both of the device's alignment and
// of the element size: for 12 bytes and an alignment of 256 that is 768 bytes, 64 elements.
std::uint64_t binding_period(std::uint64_t element_bytes, const Limits& limits);

struct PlanOptions {
  Aliasing aliasing = Aliasing::none;
  // How far after such an offset the first element lies, in elements; less than binding_period().
  std::uint32_t in_misalignment = 0;
  std::uint32_t out_misalignment = 0;
  // The last 16 bytes with elements in them, which the device moves at once, are all in the buffer.
  bool in_padded = false;
  bool out_padded = false;
  // For tests of the single pass: of each `withhold` tiles (a power of two) one never publishes its
  // total, so that the run stalls. 0: none.
  std::uint32_t withhold = 0;
  // The kernels count their combines, steps and barriers, in this order, into a buffer "counters"
  // of three u32 (teaching forms; for tests).
  bool count_combines = false;
  // For lessons: the kernel writes its array after each step into a buffer "trace". Teaching forms
  // and the single pass by workgroup memory have it, for inclusive scans of 8, 16, 32 or 64
  // elements.
  bool trace = false;
  // The number of elements is a u32 on the device, which also works out the grids of dispatches
  // from it. One above description.n is taken as description.n and sets status_clamped.
  bool counted = false;
  std::uint32_t count_misalignment = 0;  // of that u32, in words

  bool operator==(const PlanOptions&) const = default;
};

// Buffers of a scan's plan: "input" and "output" (the caller's; their bytes count from the aligned
// offset), "total" (one element: what ScanReport::total says), "count" (if `counted`) and the
// scan's own. unsupported where a limit of the device stands in the way (the sentence names it);
// bad_argument where the description contradicts itself.
Result<Plan> plan_scan(const ScanDescription& description, const Traits& traits,
                       const PlanOptions& options = {});

// Buffers of a reduction's plan: "input" and "output" (the caller's; the latter holds one element,
// the value), "count" (if `counted`) and its own. Of the options it takes aliasing, misalignments
// and counted. Errors as above.
Result<Plan> plan_reduce(const ReduceDescription& description, const Traits& traits,
                         const PlanOptions& options = {});

}  // namespace cumulo

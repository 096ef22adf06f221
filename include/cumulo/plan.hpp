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

// What an algorithm does for one run, from its own structure (docs: additions of Hillis-Steele are
// n log2 n - (n - 1), of Blelloch about 2 n, of the loop n - 1).
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
  scratch,     // holds nothing of use between two runs, but see Plan::renewal
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

// Where a step before has written the three words of a grid.
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
// valid. status_clamped: the count on the device was above the capacity, so many were scanned.
inline constexpr std::uint32_t status_stalled = 1;
inline constexpr std::uint32_t status_clamped = 2;

struct PlanStatus {
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0;  // bytes
};

// Scratch that must be cleared before run number `runs`, 2 * `runs` ...: its tags recur then.
struct PlanRenewal {
  std::uint32_t buffer = 0;
  std::uint32_t runs = 0;
};

// One step of a traced scan: what becomes of its array of n elements.
struct TraceStep {
  using Pairs = std::vector<std::array<std::uint32_t, 2>>;  // from, to

  std::string label;
  Pairs additions = {};  // `to` becomes what `from` holds, combined with what it held
  Pairs moves = {};      // `to` becomes what `from` holds, or what a builtin makes of it
  std::uint32_t barriers = 0;
};

// The array as the kernel holds it before the first step and after each, one after the other.
struct PlanTrace {
  std::uint32_t buffer = 0;
  std::vector<TraceStep> steps;
};

struct Plan {
  std::string primitive;
  std::string algorithm;
  std::uint64_t n = 0;
  bool counted = false;  // n is the most there can be; a buffer with the role count says how many
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
// No step but dispatches, which fit one compute pass.
bool dispatches_alone(const Plan& plan);

std::string to_text(const Plan& plan);
std::string to_json(const Plan& plan, bool with_wgsl = false);

// How the caller's input and output lie in memory.
enum class Aliasing : std::uint8_t {
  none,         // two buffers
  in_place,     // the same range of one buffer
  same_buffer,  // disjoint ranges of one buffer
};

// Elements from one offset that the device lets one bind to the next: elements of, say, 12 bytes
// begin only at every third multiple of a power of two.
std::uint64_t binding_period(std::uint64_t element_bytes, const Limits& limits);

struct PlanOptions {
  Aliasing aliasing = Aliasing::none;
  // First element's distance, in elements, from such an offset; less than the period.
  std::uint32_t in_misalignment = 0;
  std::uint32_t out_misalignment = 0;
  // The elements end within 16 bytes that the device moves at once, and their buffer holds all 16.
  bool in_padded = false;
  bool out_padded = false;
  // Single pass, for tests: one of so many tiles (a power of two) never publishes its total, so
  // that the run stalls. 0: none.
  std::uint32_t withhold = 0;
  // The kernels count their combines, steps and barriers, in this order, into a buffer "counters"
  // of three u32 (teaching forms; for tests).
  bool count_combines = false;
  // The kernel writes its array after each step into a buffer "trace": for lessons. Of the teaching
  // forms, and of the single pass by workgroup memory; inclusive scans of 8, 16, 32 or 64 elements.
  bool trace = false;
  // The number of elements is a u32 on the device, description.n the most it can be; a larger one
  // is taken as that and sets status_clamped. Dispatches get their grids on the device then.
  bool counted = false;
  std::uint32_t count_misalignment = 0;  // of that u32, in words

  bool operator==(const PlanOptions&) const = default;
};

// Buffers of a scan's plan: "input" and "output" (the caller's; their bytes count from the aligned
// offset), "total" (one element: what ScanReport::total says), "count" (where it is counted on the
// device) and the scan's own.
// unsupported where a limit of the device stands in the way (the sentence names it);
// bad_argument where the description contradicts itself.
Result<Plan> plan_scan(const ScanDescription& description, const Traits& traits,
                       const PlanOptions& options = {});

// Buffers of a reduction's plan: "input" and "output" (the caller's; the latter holds one element,
// the value) and its own, of which "count" where it is counted on the device. Of the options it
// takes aliasing, misalignments and counted. Errors as above.
Result<Plan> plan_reduce(const ReduceDescription& description, const Traits& traits,
                         const PlanOptions& options = {});

}  // namespace cumulo

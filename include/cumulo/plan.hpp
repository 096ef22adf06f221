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
#include "cumulo/scan_description.hpp"
#include "cumulo/traits.hpp"

namespace cumulo {

// What an algorithm does for one run, from its own structure (docs: additions of Hillis-Steele are
// n log2 n - (n - 1), of Blelloch about 2 n, of the loop n - 1).
struct Counts {
  std::uint64_t steps = 0;      // sweeps over the data, one after the other
  std::uint64_t additions = 0;  // combines of two elements
  std::uint64_t barriers = 0;   // workgroup barriers each invocation meets
  std::uint64_t subgroup_calls = 0;  // calls of a subgroup scan builtin, one a subgroup
  bool operator==(const Counts&) const = default;
};

enum class BufferRole : std::uint8_t { input, output, scratch, parameters };

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

struct DispatchStep {
  std::string label;
  std::uint32_t kernel = 0;
  std::vector<PlanBinding> bindings;
  std::array<std::uint32_t, 3> workgroups{1, 1, 1};
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

// A word that a kernel sets when it could not finish: the results are then not valid.
struct PlanStatus {
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0;  // bytes
};

// Scratch that must be cleared before run number `runs`, 2 * `runs` ...: its tags recur then.
struct PlanRenewal {
  std::uint32_t buffer = 0;
  std::uint32_t runs = 0;
};

struct Plan {
  std::string primitive;
  std::string algorithm;
  std::uint64_t n = 0;
  std::vector<PlanBuffer> buffers;
  std::vector<PlanKernel> kernels;
  std::vector<PlanStep> steps;
  std::optional<Counts> counts = std::nullopt;
  std::optional<PlanStatus> status = std::nullopt;
  std::optional<PlanRenewal> renewal = std::nullopt;
  std::vector<std::string> notes = {};  // why this algorithm and shape
};

std::uint64_t scratch_bytes(const Plan& plan);

std::string to_text(const Plan& plan);
std::string to_json(const Plan& plan, bool with_wgsl = false);

// How the caller's input and output lie in memory.
enum class Aliasing : std::uint8_t {
  none,         // two buffers
  in_place,     // the same range of one buffer
  same_buffer,  // disjoint ranges of one buffer
};

struct PlanOptions {
  Aliasing aliasing = Aliasing::none;
  // First element's distance, in elements, from an offset that the device lets one bind.
  std::uint32_t in_misalignment = 0;
  std::uint32_t out_misalignment = 0;
  // Single pass, for tests: one of so many tiles (a power of two) never publishes its total, so that
  // the run stalls. 0: none.
  std::uint32_t withhold = 0;
  // The kernels count their combines into a buffer "counters" (teaching forms; for tests).
  bool count_combines = false;
};

// Buffers of a scan's plan: "input" and "output" (the caller's; their bytes count from the aligned
// offset), "total" (one element: what ScanReport::total says) and the scan's own.
// unsupported where a limit of the device stands in the way (the sentence names it);
// bad_argument where the description contradicts itself.
Result<Plan> plan_scan(const ScanDescription& description, const Traits& traits,
                       const PlanOptions& options = {});

}  // namespace cumulo

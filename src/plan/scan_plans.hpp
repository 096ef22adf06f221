// The algorithms of a scan, as plans; plan_scan() chooses among them.
#pragma once

#include "cumulo/plan.hpp"
#include "plan/prelude.hpp"
#include "plan/preprocess.hpp"
#include "plan/tuning.hpp"

namespace cumulo::plan {

// What the planners of all algorithms of a scan need to know.
struct ScanRequest {
  const ScanDescription& description;
  const Traits& traits;
  const PlanOptions& options;
  Words initial;  // init, or the identity (exclusive), or the absent value (inclusive)
  Words absent;

  std::uint64_t input_bytes() const { return cumulo::input_bytes(description); }
  std::uint64_t element_bytes() const { return cumulo::element_bytes(description); }
  // Of an element while it is combined: halves are f32 then.
  std::uint64_t combined_bytes() const {
    return has_half_input(description) ? sizeof(float) : element_bytes();
  }
  bool has_initial() const { return has_init(description); }
  bool exclusive() const {
    return description.kind == ScanKind::exclusive && !description.include_initial;
  }
};

// Every scan's plan begins with these buffers: two of the caller's, and "total". A reduction's
// begins with the first two.
inline constexpr std::uint32_t input_buffer = 0;
inline constexpr std::uint32_t output_buffer = 1;
inline constexpr std::uint32_t total_buffer = 2;

// unsupported where no algorithm can do it on the device: f64, or more elements or results than fit
// a buffer. `what`, for the message: "scans".
std::optional<Error> elements_refusal(const ScanRequest& request, std::string_view what,
                                      std::uint64_t results);

// The caller's buffers in the plan of a scan or reduction: input, output and, where counted, the
// count.
std::vector<std::uint32_t> callers_of_scan(const Plan& plan);

// A plan that has input, output and total, and nothing else yet.
Plan empty_scan_plan(const ScanRequest& request, std::string_view algorithm);

// Adds a copy of the one result in buffer `from` to element `at` of buffer `to`.
Result<void> copy_result(Plan& plan, const ScanRequest& request, std::uint32_t from,
                         std::uint32_t to, std::uint64_t at);

// init, or the operator's identity, as a result.
Words total_of_nothing(const ScanDescription& description);

// The conditions that scan kernels share, for the preprocessor.
Values kernel_values(const ScanRequest& request);

// The shape of a tile, for scan_tiles.wgsl and other kernels of one tile a workgroup.
void add_tile_values(Values& values, const TileShape& shape);

// Preprocesses `file` behind the prelude of the request's type and operator.
Result<PlanKernel> make_kernel(const ScanRequest& request, std::string_view name,
                               std::string_view file, const Values& values,
                               std::uint32_t workgroup_size, bool subgroups = false);

// A kernel of nothing but a monoid's text, to see whether it compiles.
Result<PlanKernel> make_monoid_check(const ScanDescription& description, const Traits& traits);

// A slice's place: fields of struct Params of lib/params_struct.wgsl, in its order.
struct SliceParams {
  std::uint32_t count = 0;
  std::uint32_t tiles = 0;
  std::uint32_t first_tile = 0;
  bool is_last = true;
  std::uint32_t in_offset = 0;
  std::uint32_t out_offset = 0;
  std::uint32_t all_tiles = 0;
  std::uint32_t initial_at = 0;
  // In vectors, for lib/vector_io.wgsl:
  std::uint32_t in_block = 0;
  std::uint32_t in_last = 0;
  std::uint32_t out_block = 0;
  std::uint32_t out_first = 0;
  std::uint32_t out_whole = 0;
  std::uint32_t out_begin = 0;
  std::uint32_t out_words = 0;
  // Of a reduction:
  std::uint32_t batches = 0;
};
// All words of the struct.
std::vector<std::uint32_t> parameter_words(const ScanRequest& request, const SliceParams& slice);

// Whether a scan can be traced; unsupported where not.
Result<void> check_trace(const ScanRequest& request);
// The binding of a traced kernel's last buffer, "trace", for its values.
void add_trace_value(Values& values, std::int64_t binding);
// That buffer, and what it will hold. The plan's only dispatch binds it after all others.
void add_trace(Plan& plan, const ScanRequest& request);

// A plan's note, where the device's traits have no forward_progress.
inline constexpr const char* unknown_progress =
    "single-pass is not taken: started workgroups are not known to keep running";

// Whether another algorithm need not be tried: a plan, or an error that is no device's.
inline bool is_settled(const Result<Plan>& plan) {
  return plan || plan.error().kind != ErrorKind::unsupported;
}

Result<Plan> plan_teaching(const ScanRequest& request);
Result<Plan> plan_reduce_then_scan(const ScanRequest& request);
// In the form that suits the device and n, or with a shape given (for measurements).
Result<Plan> plan_single_pass(const ScanRequest& request);
Result<Plan> plan_subgroup_pass(const ScanRequest& request);
Result<Plan> plan_single_pass(const ScanRequest& request, const SinglePassShape& shape);
Result<Plan> plan_small_pass(const ScanRequest& request, const SmallPassShape& shape);
Result<Plan> plan_memory_pass(const ScanRequest& request);

}  // namespace cumulo::plan

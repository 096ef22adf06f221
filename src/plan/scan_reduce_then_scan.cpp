// Reduce-then-scan: totals of tiles, the scan of those, then the scan of every tile from what
// stands before it. Needs no promise about how workgroups make progress. Reads the input twice.
#include <algorithm>
#include <array>
#include <limits>

#include "cumulo/order.hpp"
#include "plan/parts.hpp"
#include "plan/prelude.hpp"
#include "plan/scan_plans.hpp"
#include "plan/slices.hpp"
#include "plan/tuning.hpp"

namespace cumulo::plan {
namespace {

class Builder {
 public:
  Builder(const ScanRequest& request, const TileShape& shape)
      : request_(request),
        shape_(shape),
        in_place_(request.options.aliasing == Aliasing::in_place),
        all_tiles_(ceil_div(request.description.n, shape.tile)),
        plan_(empty_scan_plan(request, name(Algorithm::reduce_then_scan))) {}

  Result<Plan> build(std::uint64_t capacity) {
    plan_.counted = request_.options.counted;
    if (auto error = add_kernels()) return std::unexpected{std::move(*error)};
    plan_.notes.push_back("tiles of " + std::to_string(shape_.tile) + " elements by " +
                          std::to_string(shape_.workgroup_size) +
                          " invocations: " + std::to_string(all_tiles_) + " tiles");
    if (all_tiles_ == 1) {
      // Before the only tile stands the initial value: nothing is to be found out first.
      totals_ = add_parameters(plan_, "initial value", request_.initial);
    } else {
      totals_ = add_buffer(plan_, "tile totals", all_tiles_ * request_.combined_bytes(),
                           BufferRole::scratch);
    }
    std::vector<Slice> slices;
    for (std::uint64_t begin = 0; begin < request_.description.n; begin += capacity) {
      slices.push_back({begin, std::min(request_.description.n, begin + capacity)});
    }
    if (slices.size() > 1) plan_.notes.push_back(slices_note(slices.size()));
    std::vector<std::uint32_t> parameters;
    for (const Slice& slice : slices) parameters.push_back(add_slice_parameters(slice));
    if (request_.options.counted) add_count(parameters[0]);

    if (all_tiles_ > 1) {
      for (std::size_t i = 0; i < slices.size(); ++i) add_reduce(slices[i], parameters[i]);
      add_scan_totals(parameters[0]);
    }
    for (std::size_t i = 0; i < slices.size(); ++i) add_scan(slices[i], parameters[i]);
    return std::move(plan_);
  }

 private:
  std::optional<Error> add_kernels() {
    Values values = kernel_values(request_);
    const std::uint32_t quads = shape_.tile / order::quad;
    add_tile_values(values, shape_);
    values.insert({"SINGLE_PASS", 0});
    // Its number goes to `number`.
    const auto add = [&](std::uint32_t& number, std::string_view kernel,
                         Values more) -> std::optional<Error> {
      more.insert(values.begin(), values.end());
      auto made =
          make_kernel(request_, kernel, std::string(kernel) + ".wgsl", more, shape_.workgroup_size);
      if (!made) return std::move(made.error());
      number = static_cast<std::uint32_t>(plan_.kernels.size());
      plan_.kernels.push_back(std::move(*made));
      return std::nullopt;
    };
    if (all_tiles_ > 1) {
      if (auto error = add(reduce_kernel_, "reduce_tiles",
                           {{"TREE", quads}, {"TOTALS", in_place_ ? 1 : 2}, {"OUTPUT", 2}})) {
        return error;
      }
      if (auto error = add(totals_kernel_, "scan_totals", {{"TREE", shape_.tree}})) return error;
    }
    if (request_.options.counted) {
      // It combines nothing: the operator is not put before it.
      values.insert({{"TILE", shape_.tile}, {"REDUCTION", 0}, {"STATUS_CLAMPED", status_clamped}});
      auto made = add_kernel(plan_, "count_elements", "count_elements.wgsl", values, 1);
      if (!made) return std::move(made.error());
      count_kernel_ = *made;
    }
    return add(scan_kernel_, "scan_tiles",
               {{"TREE", std::max(1U, shape_.tile / order::strip)},
                {"OUTPUT", in_place_ ? 1 : 2},
                {"TOTALS", in_place_ ? 2 : 3},
                {"TOTAL", in_place_ ? 3 : 4}});
  }

  std::uint32_t tiles_of(const Slice& slice) const {
    return static_cast<std::uint32_t>(ceil_div(slice.end - slice.begin, shape_.tile));
  }

  std::uint32_t add_slice_parameters(const Slice& slice) {
    const SliceParams params =
        slice_params(request_, slice, bind_slice(request_, slice), shape_.tile);
    std::vector<std::uint32_t> words = parameter_words(request_, params);
    if (request_.options.counted) {
      grid_offset_ = words.size() * 4;
      words.resize(words.size() + 4);  // the grid and the status
    }
    return add_parameters(plan_, "parameters from " + std::to_string(slice.begin),
                          std::move(words));
  }

  // Before all else: how many elements there are, and what follows from that.
  void add_count(std::uint32_t parameters) {
    const std::uint32_t misalignment = request_.options.count_misalignment;
    const std::uint32_t count =
        add_buffer(plan_, "count", (std::uint64_t{misalignment} + 1) * 4, BufferRole::count);
    std::vector<std::uint32_t> settings{static_cast<std::uint32_t>(request_.description.n),
                                        request_.traits.limits.max_workgroups_per_dimension,
                                        request_.options.out_misalignment, misalignment};
    const std::vector<std::uint32_t> nothing = total_of_nothing(request_.description);
    settings.insert(settings.end(), nothing.begin(), nothing.end());
    const std::uint32_t given = add_parameters(plan_, "count settings", std::move(settings));
    plan_.steps.push_back(
        DispatchStep{"the number of elements",
                     count_kernel_,
                     {bind(given), bind(count), bind(parameters), bind(total_buffer)}});
    plan_.status = PlanStatus{parameters, grid_offset_ + 12};
    grid_ = PlanGrid{parameters, grid_offset_};
  }

  PlanBinding bind(std::uint32_t buffer) const { return whole(plan_, buffer); }

  void add_dispatch(std::uint32_t kernel, const Slice& slice, std::vector<PlanBinding> bindings) {
    plan_.steps.push_back(DispatchStep{
        "elements " + std::to_string(slice.begin) + " to " + std::to_string(slice.end), kernel,
        std::move(bindings),
        fold_grid(tiles_of(slice), request_.traits.limits.max_workgroups_per_dimension), grid_});
  }

  void add_reduce(const Slice& slice, std::uint32_t parameters) {
    const PlanBinding in = bind_slice(request_, slice).in;
    if (in_place_) {
      add_dispatch(reduce_kernel_, slice, {bind(parameters), bind(totals_), in});
    } else {
      add_dispatch(reduce_kernel_, slice, {bind(parameters), in, bind(totals_)});
    }
  }

  void add_scan_totals(std::uint32_t parameters) {
    plan_.steps.push_back(
        DispatchStep{"", totals_kernel_, {bind(parameters), bind(totals_)}, {1, 1, 1}});
  }

  void add_scan(const Slice& slice, std::uint32_t parameters) {
    const BoundSlice at = bind_slice(request_, slice);
    if (in_place_) {
      add_dispatch(scan_kernel_, slice,
                   {bind(parameters), at.out, bind(totals_), bind(total_buffer)});
    } else {
      add_dispatch(scan_kernel_, slice,
                   {bind(parameters), at.in, at.out, bind(totals_), bind(total_buffer)});
    }
  }

  const ScanRequest& request_;
  const TileShape shape_;
  const bool in_place_;
  const std::uint64_t all_tiles_;
  Plan plan_;
  // Kernels by their numbers; those that the plan does not have: 0.
  std::uint32_t reduce_kernel_ = 0;
  std::uint32_t totals_kernel_ = 0;
  std::uint32_t count_kernel_ = 0;
  std::uint32_t scan_kernel_ = 0;
  std::uint32_t totals_ = 0;
  std::uint64_t grid_offset_ = 0;  // where a grid counted on the device follows the parameters
  std::optional<PlanGrid> grid_;
};

Error refused(const std::string& limit, std::uint64_t value, const std::string& why) {
  return {ErrorKind::unsupported, "reduce-then-scan does not fit this device: " + why + " (" +
                                      limit + " is " + std::to_string(value) + ")"};
}

}  // namespace

Result<Plan> plan_reduce_then_scan(const ScanRequest& request) {
  const Limits& limits = request.traits.limits;
  const auto shape = reduce_then_scan_shape(limits, request.combined_bytes());
  if (!shape) {
    const LimitTooSmall cause =
        limit_too_small(limits, request.combined_bytes(), reduce_then_scan_shape);
    return std::unexpected{
        refused(cause.limit, cause.value, "the smallest tile needs " + std::string(cause.needs))};
  }
  if (limits.max_storage_buffers_per_stage < 4) {
    return std::unexpected{refused("max_storage_buffers_per_stage",
                                   limits.max_storage_buffers_per_stage,
                                   "it binds 4 storage buffers")};
  }
  if (limits.max_workgroups_per_dimension == 0) {
    return std::unexpected{refused("max_workgroups_per_dimension", 0, "it dispatches workgroups")};
  }
  const std::uint64_t capacity = slice_capacity(limits, request.element_bytes(), shape->tile);
  if (capacity == 0) {
    return std::unexpected{refused("max_storage_binding_size", limits.max_storage_binding_size,
                                   "one tile is larger than a binding")};
  }
  // A slice's place does not move with the count only where there is one.
  if (request.options.counted && request.description.n > capacity) {
    return std::unexpected{
        refused("max_storage_binding_size", limits.max_storage_binding_size,
                "counted on the device, all elements must fit one binding and one grid: at most " +
                    std::to_string(capacity) + " of them")};
  }
  const std::uint64_t totals = ceil_div(request.description.n, shape->tile);
  if (totals * request.combined_bytes() > limits.max_storage_binding_size) {
    return std::unexpected{refused("max_storage_binding_size", limits.max_storage_binding_size,
                                   std::to_string(totals) + " tile totals do not fit one binding")};
  }
  const std::uint64_t slices = ceil_div(request.description.n, capacity);
  if (slices > most_slices) {
    const std::string why = std::to_string(request.description.n) + " elements take " +
                            std::to_string(slices) + " slices, and at most " +
                            std::to_string(most_slices) + " are planned";
    return std::unexpected{
        capacity < binding_capacity(limits, request.element_bytes(), shape->tile)
            ? refused("max_workgroups_per_dimension", limits.max_workgroups_per_dimension, why)
            : refused("max_storage_binding_size", limits.max_storage_binding_size, why)};
  }
  return Builder(request, *shape).build(capacity);
}

}  // namespace cumulo::plan

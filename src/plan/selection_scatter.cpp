// Mask-then-scatter: a bit for each element and a count for each tile, the scan of the counts, then
// every element goes where its rank says. Needs no promise about how workgroups make progress, no
// subgroups, and takes any number of arrays and results beyond one binding.
#include <algorithm>

#include "plan/selection_builder.hpp"

namespace cumulo::plan {
namespace {

using What = SelectionSlot::What;

Error refused(const std::string& limit, std::uint64_t value, const std::string& why) {
  return selection_refused(SelectionAlgorithm::mask_then_scatter, limit, value, why);
}

// More would be slow to plan and slower to run.
constexpr std::uint64_t most_dispatches = std::uint64_t{1} << 14;

// Something that results go to: a caller's output, or the starts of runs.
struct Output {
  std::uint32_t buffer;
  std::uint64_t results;  // that it has room for
  std::uint64_t window;   // results that one binding holds
  std::uint32_t kernel;
  std::optional<std::uint32_t> source;  // slot of the array; of indices none
};

class Builder {
 public:
  Builder(const SelectionRequest& request, const TileShape& shape)
      : request_(request),
        limits_(request.traits.limits),
        d_(request.description),
        tile_(shape.tile),
        b_(request, SelectionAlgorithm::mask_then_scatter, shape.workgroup_size, shape.tile) {}

  Result<Plan> build(std::uint64_t slice) {
    if (auto error = add_scratch()) return std::unexpected{std::move(*error)};
    if (auto error = b_.add_slices(slice, 0)) return std::unexpected{std::move(*error)};
    if (d_.n > 0) {
      if (auto error = add_masks()) return std::unexpected{std::move(*error)};
    }
    if (auto error = add_counts()) return std::unexpected{std::move(*error)};
    if (d_.n == 0) return std::move(b_.plan());
    for (std::uint32_t k = 0; k < request_.slots.size(); ++k) {
      if (auto error = add_output(k)) return std::unexpected{std::move(*error)};
    }
    if (d_.lengths) {
      const std::uint32_t starts = b_.add_starts();
      if (auto error = add_output(starts)) return std::unexpected{std::move(*error)};
      if (auto error = b_.add_lengths(starts)) return std::unexpected{std::move(*error)};
    }
    return std::move(b_.plan());
  }

 private:
  std::optional<Error> add_scratch() {
    const std::uint64_t masks = request_.masks();
    mask_words_ = b_.all_tiles() * (tile_ / 32);
    const auto add = [&](const char* name, std::uint64_t bytes,
                         std::uint32_t& buffer) -> std::optional<Error> {
      if (bytes > limits_.max_storage_binding_size) {
        return refused("max_storage_binding_size", limits_.max_storage_binding_size,
                       std::to_string(bytes) + " bytes of " + name + " do not fit one binding");
      }
      buffer = b_.add_buffer(name, bytes, BufferRole::scratch);
      return std::nullopt;
    };
    if (auto error = add("masks", masks * mask_words_ * 4, masks_)) return error;
    return add("tile counts", (masks * b_.all_tiles() + 1) * 4, tile_counts_);
  }

  std::uint32_t add_parameters(const std::string& name, SelectParams params) {
    params.mask_words = mask_words_;
    return b_.add_parameters(name, std::move(params));
  }

  std::optional<Error> add_masks() {
    auto source = source_text(request_, 4);
    if (!source) return std::move(source.error());
    auto kernel = b_.kernel("select_mask", "select_mask.wgsl", {}, *source);
    if (!kernel) return std::move(kernel.error());
    for (std::size_t s = 0; s < b_.slices().size(); ++s) {
      const auto& [begin, end] = b_.slices()[s];
      SelectParams params{.first_tile = begin / tile_, .first_index = begin};
      std::vector<PlanBinding> bindings{{}, b_.extent(s), b_.whole(masks_), b_.whole(tile_counts_)};
      for (const std::uint32_t slot : request_.sources()) {
        const BoundRange range = bind_source(request_, slot, begin, end);
        bindings.push_back(range.binding);
        params.offsets.push_back(range.first);
      }
      bindings[0] = b_.whole(add_parameters("mask parameters " + std::to_string(s), params));
      b_.add_dispatch(*kernel, s, std::move(bindings));
    }
    return std::nullopt;
  }

  std::optional<Error> add_counts() {
    auto kernel = b_.kernel("select_counts", "select_counts.wgsl", {});
    if (!kernel) return std::move(kernel.error());
    const std::uint32_t counts = request_.slot(What::counts);
    const std::uint32_t parameters = add_parameters("counts parameters", {});
    b_.plan().steps.push_back(DispatchStep{
        "",
        *kernel,
        {b_.whole(parameters), b_.extent(0), b_.whole(tile_counts_), b_.whole(counts)}});
    return std::nullopt;
  }

  // What goes to a buffer of the plan, by a kernel for elements of that size.
  std::optional<Error> add_output(std::uint32_t buffer) {
    const bool is_slot = buffer < request_.slots.size();
    const What what = is_slot ? request_.slots[buffer].what : What::indices;
    if (what != What::kept && (what != What::indices || (is_slot && d_.lengths))) {
      return std::nullopt;
    }
    Output output{buffer, is_slot ? request_.slots[buffer].elements : starts_of(buffer), 0, 0, {}};
    if (output.results == 0) return std::nullopt;
    std::uint32_t bytes = 4;
    if (what == What::kept) {
      output.source = request_.slot(What::array, request_.slots[buffer].array);
      bytes = request_.slots[buffer].element_bytes;
    }
    output.window = binding_capacity(limits_, bytes, 1);
    if (output.window == 0) {
      return refused("max_storage_binding_size", limits_.max_storage_binding_size,
                     "a binding does not hold one result");
    }
    auto kernel = b_.kernel(output.source ? "select_scatter_" + std::to_string(bytes / 4)
                            : is_slot     ? "select_indices"
                                          : "select_starts",
                            "select_scatter.wgsl",
                            {{"INDICES", output.source ? 0 : 1},
                             {"WORDS", bytes / 4},
                             {"TO_SCRATCH", is_slot ? 0 : 1},
                             {"FOLLOWS", d_.rest == Rest::dropped ? 0 : 1}});
    if (!kernel) return std::move(kernel.error());
    output.kernel = *kernel;
    add_scatter(output);
    return std::nullopt;
  }

  std::uint64_t starts_of(std::uint32_t buffer) const {
    return b_.plan().buffers[buffer].bytes / 4;
  }

  void add_scatter(const Output& output) {
    for (std::uint64_t first = 0; first < output.results; first += output.window) {
      const std::uint64_t last = std::min(output.results, first + output.window);
      for (std::size_t s = 0; s < b_.slices().size(); ++s) {
        const auto& [begin, end] = b_.slices()[s];
        // Without the rest an element goes to its own place or before that.
        if (d_.rest == Rest::dropped && end <= first) continue;
        const BoundRange out = b_.bind_output(output.buffer, first, last);
        SelectParams params{.first_tile = begin / tile_,
                            .first_index = begin,
                            .window_first = first,
                            .window = last - first,
                            .output_offset = out.first};
        std::vector<PlanBinding> bindings{
            {}, b_.extent(s), b_.whole(masks_), b_.whole(tile_counts_), out.binding};
        if (output.source) {
          const BoundRange in = bind_slot(request_, *output.source, begin, end);
          bindings.push_back(in.binding);
          params.offsets = {in.first};
        }
        const std::string to = b_.plan().buffers[output.buffer].name;
        bindings[0] = b_.whole(add_parameters(to + " parameters", params));
        b_.add_dispatch(output.kernel, s, std::move(bindings), " to " + to);
      }
    }
  }

  const SelectionRequest& request_;
  const Limits& limits_;
  const SelectionDescription& d_;
  const std::uint64_t tile_;
  SelectionBuilder b_;
  std::uint32_t masks_ = 0;
  std::uint32_t tile_counts_ = 0;
  std::uint64_t mask_words_ = 0;
};

// Bytes of the largest element that a slice binds.
std::uint64_t largest_element(const SelectionRequest& request) {
  std::uint64_t bytes = 4;
  for (const SelectionSlot& slot : request.slots) {
    bytes = std::max<std::uint64_t>(bytes, slot.element_bytes);
  }
  return bytes;
}

}  // namespace

Result<Plan> plan_mask_then_scatter(const SelectionRequest& request) {
  const Limits& limits = request.traits.limits;
  const std::uint64_t bytes = largest_element(request);
  auto shape = selection_shape(limits, request.masks());
  // A tile must fit a binding.
  Limits smaller = limits;
  while (shape && slice_capacity(limits, bytes, shape->tile) == 0) {
    smaller.max_invocations_per_workgroup = shape->workgroup_size / 2;
    const auto next = selection_shape(smaller, request.masks());
    if (!next) break;
    shape = next;
  }
  if (!shape) {
    const LimitTooSmall cause = limit_too_small(limits, request.masks(), selection_shape);
    return std::unexpected{
        refused(cause.limit, cause.value, "the smallest tile needs " + std::string(cause.needs))};
  }
  const std::uint64_t storage_buffers = std::max<std::uint64_t>(4, 2 + request.sources().size());
  if (limits.max_storage_buffers_per_stage < storage_buffers) {
    return std::unexpected{
        refused("max_storage_buffers_per_stage", limits.max_storage_buffers_per_stage,
                "it binds " + std::to_string(storage_buffers) + " storage buffers")};
  }
  if (limits.max_workgroups_per_dimension == 0) {
    return std::unexpected{refused("max_workgroups_per_dimension", 0, "it dispatches workgroups")};
  }
  const std::uint64_t slice = slice_capacity(limits, bytes, shape->tile);
  if (slice == 0) {
    return std::unexpected{refused("max_storage_binding_size", limits.max_storage_binding_size,
                                   "one tile is larger than a binding")};
  }
  const std::uint64_t slices = ceil_div(request.description.n, slice);
  if (slices * slices * (request.slots.size() + 1) > most_dispatches) {
    const std::string why = std::to_string(request.description.n) + " elements take " +
                            std::to_string(slices) + " slices of as many windows of results";
    return std::unexpected{
        slice < binding_capacity(limits, bytes, shape->tile)
            ? refused("max_workgroups_per_dimension", limits.max_workgroups_per_dimension, why)
            : refused("max_storage_binding_size", limits.max_storage_binding_size, why)};
  }
  return Builder(request, *shape).build(slice);
}

}  // namespace cumulo::plan

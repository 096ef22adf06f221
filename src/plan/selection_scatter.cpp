// Mask-then-scatter: a bit for each element and a count for each tile, the scan of the counts, then
// every element goes where its rank says. Needs no promise about how workgroups make progress, no
// subgroups, and takes any number of arrays and results beyond one binding.
#include <algorithm>

#include "plan/selection_plans.hpp"
#include "plan/tuning.hpp"

namespace cumulo::plan {
namespace {

using What = SelectionSlot::What;

Error refused(const std::string& limit, std::uint64_t value, const std::string& why) {
  return {ErrorKind::unsupported, "mask-then-scatter does not fit this device: " + why + " (" +
                                      limit + " is " + std::to_string(value) + ")"};
}

// More would be slow to plan and slower to run.
constexpr std::uint64_t most_dispatches = std::uint64_t{1} << 14;

// From one slice's extent to the next: both a uniform's and a storage buffer's alignment.
constexpr std::uint64_t extent_stride = 256;
constexpr std::uint64_t extent_bytes = 32;
constexpr std::uint64_t grid_offset = 8;
constexpr std::uint64_t status_offset = 20;

// Something that results go to: a caller's output, or the starts of runs.
struct Output {
  std::uint32_t buffer;
  std::uint32_t words;    // of an element
  std::uint64_t results;  // that it has room for
  std::uint64_t window;   // results that one binding holds
  std::uint32_t kernel;
  std::optional<std::uint32_t> source;  // slot of the array; of indices none
};

class Builder {
 public:
  Builder(const SelectionRequest& request, const TileShape& shape, std::uint64_t slice)
      : request_(request),
        limits_(request.traits.limits),
        d_(request.description),
        shape_(shape),
        slice_(slice),
        all_tiles_(ceil_div(d_.n, shape.tile)),
        plan_(empty_selection_plan(request, name(SelectionAlgorithm::mask_then_scatter))) {}

  Result<Plan> build() {
    for (std::uint64_t begin = 0; begin < d_.n; begin += slice_) {
      slices_.push_back({begin, std::min(d_.n, begin + slice_)});
    }
    if (auto error = add_scratch()) return std::unexpected{std::move(*error)};
    if (auto error = add_outputs()) return std::unexpected{std::move(*error)};
    note();
    if (request_.layout.counted) {
      if (auto error = add_count()) return std::unexpected{std::move(*error)};
    }
    if (d_.n > 0) {
      if (auto error = add_masks()) return std::unexpected{std::move(*error)};
    }
    if (auto error = add_counts()) return std::unexpected{std::move(*error)};
    if (d_.n == 0) return std::move(plan_);
    for (const Output& output : outputs_) add_scatter(output);
    if (d_.lengths) {
      if (auto error = add_lengths()) return std::unexpected{std::move(*error)};
    }
    return std::move(plan_);
  }

 private:
  std::uint32_t add_buffer(std::string name, std::uint64_t bytes, BufferRole role,
                           std::vector<std::uint32_t> contents = {}) {
    plan_.buffers.push_back({std::move(name), bytes, role, std::move(contents)});
    return static_cast<std::uint32_t>(plan_.buffers.size() - 1);
  }

  PlanBinding whole(std::uint32_t buffer) const { return {buffer, 0, plan_.buffers[buffer].bytes}; }

  std::optional<Error> add_scratch() {
    const std::uint64_t masks = request_.masks();
    const std::uint64_t tiles = std::max<std::uint64_t>(all_tiles_, 1);
    mask_words_ = tiles * (shape_.tile / 32);
    for (const auto& [what, bytes] : {std::pair{"masks", masks * mask_words_ * 4},
                                      std::pair{"tile counts", (masks * tiles + 1) * 4}}) {
      if (bytes > limits_.max_storage_binding_size) {
        return refused("max_storage_binding_size", limits_.max_storage_binding_size,
                       std::to_string(bytes) + " bytes of " + what + " do not fit one binding");
      }
    }
    masks_ = add_buffer("masks", masks * mask_words_ * 4, BufferRole::scratch);
    tile_counts_ = add_buffer("tile counts", (masks * tiles + 1) * 4, BufferRole::scratch);
    std::vector<std::uint32_t> extents;
    for (std::size_t s = 0; s < std::max<std::size_t>(slices_.size(), 1); ++s) {
      extents.resize(s * (extent_stride / 4), 0);
      const std::uint64_t count = slices_.empty() ? 0 : slices_[s].end - slices_[s].begin;
      extents.insert(extents.end(), {static_cast<std::uint32_t>(count),
                                     static_cast<std::uint32_t>(ceil_div(count, shape_.tile)), 0, 0,
                                     0, 0, static_cast<std::uint32_t>(d_.n), 0});
    }
    const std::uint64_t bytes = extents.size() * 4;
    if (bytes > limits_.max_storage_binding_size) {
      return refused("max_storage_binding_size", limits_.max_storage_binding_size,
                     std::to_string(slices_.size()) + " slices have too many extents");
    }
    extents_ = add_buffer("extents", bytes, BufferRole::parameters, std::move(extents));
    return std::nullopt;
  }

  // What results go to, and the kernels that write them: one for each size of elements.
  std::optional<Error> add_outputs() {
    for (std::uint32_t k = 0; k < request_.slots.size(); ++k) {
      const SelectionSlot& slot = request_.slots[k];
      if (slot.what == What::kept) {
        if (auto error = add_output(k, slot.elements, request_.slot(What::array, slot.array))) {
          return error;
        }
      } else if (slot.what == What::indices && !d_.lengths) {
        if (auto error = add_output(k, slot.elements, std::nullopt)) return error;
      }
    }
    if (!d_.lengths) return std::nullopt;
    // The end of the last run that there is room for is the start of the one behind it.
    const std::uint64_t starts = std::min(d_.n, result_count(d_) + 1);
    starts_ = add_buffer("starts", std::max<std::uint64_t>(starts, 1) * 4, BufferRole::scratch);
    return add_output(starts_, starts, std::nullopt);
  }

  std::optional<Error> add_output(std::uint32_t buffer, std::uint64_t results,
                                  std::optional<std::uint32_t> source) {
    if (results == 0) return std::nullopt;
    const bool to_scratch = plan_.buffers[buffer].role == BufferRole::scratch;
    const std::uint32_t bytes = source ? request_.slots[*source].element_bytes : 4;
    const std::uint64_t window = binding_capacity(limits_, bytes, 1);
    if (window == 0) {
      return refused("max_storage_binding_size", limits_.max_storage_binding_size,
                     "a binding does not hold one result");
    }
    const std::string kernel = source       ? "select_scatter_" + std::to_string(bytes / 4)
                               : to_scratch ? "select_starts"
                                            : "select_indices";
    auto number = kernel_number(kernel, "select_scatter.wgsl",
                                {{"INDICES", source ? 0 : 1},
                                 {"WORDS", bytes / 4},
                                 {"TO_SCRATCH", to_scratch ? 1 : 0},
                                 {"SAME_BUFFER", request_.layout.same_buffer ? 1 : 0},
                                 {"FOLLOWS", d_.rest == Rest::dropped ? 0 : 1}});
    if (!number) return std::move(number.error());
    outputs_.push_back({buffer, bytes / 4, results, window, *number, source});
    return std::nullopt;
  }

  Result<std::uint32_t> kernel_number(const std::string& name, std::string_view file, Values more,
                                      const std::string& before = "") {
    for (std::uint32_t k = 0; k < plan_.kernels.size(); ++k) {
      if (plan_.kernels[k].name == name) return k;
    }
    more.insert({{"WORKGROUP", shape_.workgroup_size},
                 {"TILE", shape_.tile},
                 {"TILE_WORDS", shape_.tile / 32},
                 {"MASKS", request_.masks()},
                 {"STATUS_CLAMPED", status_clamped}});
    auto text = preprocess(file, more);
    if (!text) return std::unexpected{std::move(text.error())};
    const std::uint32_t workgroup = file == "select_extents.wgsl" ? 1 : shape_.workgroup_size;
    plan_.kernels.push_back({name, before + *text, workgroup});
    return static_cast<std::uint32_t>(plan_.kernels.size() - 1);
  }

  void note() {
    plan_.notes.push_back("tiles of " + std::to_string(shape_.tile) + " elements by " +
                          std::to_string(shape_.workgroup_size) +
                          " invocations: " + std::to_string(all_tiles_) + " tiles");
    if (slices_.size() > 1) {
      plan_.notes.push_back(std::to_string(slices_.size()) +
                            " slices, each within one binding and one grid");
    }
  }

  PlanBinding extent(std::size_t slice) const {
    return {extents_, slice * extent_stride, extent_bytes};
  }

  std::uint32_t add_parameters(const std::string& name, SelectParams params) {
    params.all_tiles = std::max<std::uint64_t>(all_tiles_, 1);
    params.mask_words = mask_words_;
    params.capacity = result_count(d_);
    params.counts_at = request_.misalignment(request_.slot(What::counts));
    std::vector<std::uint32_t> words = parameter_words(params);
    const std::uint64_t bytes = words.size() * 4;
    return add_buffer(name, bytes, BufferRole::parameters, std::move(words));
  }

  std::string text_of(const Slice& slice) const {
    return std::to_string(slice.begin) + " to " + std::to_string(slice.end);
  }

  void add_dispatch(std::uint32_t kernel, std::size_t slice, std::vector<PlanBinding> bindings,
                    const std::string& more = "") {
    std::optional<PlanGrid> grid;
    if (request_.layout.counted) grid = PlanGrid{extents_, slice * extent_stride + grid_offset};
    const Slice& s = slices_[slice];
    plan_.steps.push_back(DispatchStep{
        "elements " + text_of(s) + more, kernel, std::move(bindings),
        fold_grid(ceil_div(s.end - s.begin, shape_.tile), limits_.max_workgroups_per_dimension),
        grid});
  }

  std::optional<Error> add_count() {
    auto kernel = kernel_number("select_extents", "select_extents.wgsl", {});
    if (!kernel) return std::move(kernel.error());
    const std::uint32_t n = request_.slot(What::n);
    std::vector<std::uint32_t> settings{static_cast<std::uint32_t>(d_.n),
                                        limits_.max_workgroups_per_dimension,
                                        request_.misalignment(n),
                                        static_cast<std::uint32_t>(slice_),
                                        static_cast<std::uint32_t>(slices_.size()),
                                        extent_stride / 4,
                                        0,
                                        0};
    const std::uint32_t given =
        add_buffer("count settings", settings.size() * 4, BufferRole::parameters, settings);
    plan_.steps.push_back(
        DispatchStep{"the number of elements", *kernel, {whole(given), whole(n), whole(extents_)}});
    plan_.status = PlanStatus{extents_, status_offset};
    return std::nullopt;
  }

  std::optional<Error> add_masks() {
    auto source = source_text(request_, 4);
    if (!source) return std::move(source.error());
    auto kernel = kernel_number("select_mask", "select_mask.wgsl", {}, *source);
    if (!kernel) return std::move(kernel.error());
    for (std::size_t s = 0; s < slices_.size(); ++s) {
      SelectParams params{.first_tile = slices_[s].begin / shape_.tile,
                          .first_index = slices_[s].begin};
      std::vector<PlanBinding> bindings{{}, extent(s), whole(masks_), whole(tile_counts_)};
      for (const std::uint32_t slot : request_.sources()) {
        const BoundRange range = bind_source(request_, slot, slices_[s].begin, slices_[s].end);
        bindings.push_back(range.binding);
        params.offsets.push_back(range.first);
      }
      bindings[0] = whole(add_parameters("mask parameters " + std::to_string(s), params));
      add_dispatch(*kernel, s, std::move(bindings));
    }
    return std::nullopt;
  }

  std::optional<Error> add_counts() {
    auto kernel = kernel_number("select_counts", "select_counts.wgsl", {});
    if (!kernel) return std::move(kernel.error());
    const std::uint32_t counts = request_.slot(What::counts);
    const std::uint32_t parameters = add_parameters("counts parameters", {});
    plan_.steps.push_back(DispatchStep{
        "", *kernel, {whole(parameters), extent(0), whole(tile_counts_), whole(counts)}});
    return std::nullopt;
  }

  // Results [begin, end) of an output, in words.
  BoundRange bind_output(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end) const {
    if (buffer < request_.slots.size()) return bind_slot(request_, buffer, begin, end);
    return bind_range(limits_, buffer, 4, begin, end);
  }

  void add_scatter(const Output& output) {
    for (std::uint64_t first = 0; first < output.results; first += output.window) {
      const std::uint64_t end = std::min(output.results, first + output.window);
      for (std::size_t s = 0; s < slices_.size(); ++s) {
        // Without the rest an element goes to its own place or before that.
        if (d_.rest == Rest::dropped && slices_[s].end <= first) continue;
        const BoundRange out = bind_output(output.buffer, first, end);
        SelectParams params{.first_tile = slices_[s].begin / shape_.tile,
                            .first_index = slices_[s].begin,
                            .window_first = first,
                            .window = end - first,
                            .output_offset = out.first};
        std::vector<PlanBinding> bindings{
            {}, extent(s), whole(masks_), whole(tile_counts_), out.binding};
        if (output.source) {
          const BoundRange in =
              bind_slot(request_, *output.source, slices_[s].begin, slices_[s].end);
          bindings.push_back(in.binding);
          params.offsets = {in.first};
        }
        const std::string to = plan_.buffers[output.buffer].name;
        bindings[0] = whole(add_parameters(to + " parameters", params));
        add_dispatch(output.kernel, s, std::move(bindings), " to " + to);
      }
    }
  }

  std::optional<Error> add_lengths() {
    auto kernel =
        kernel_number("select_lengths", "select_lengths.wgsl", {{"INDICES", d_.indices ? 1 : 0}});
    if (!kernel) return std::move(kernel.error());
    const std::uint64_t results = result_count(d_);
    const std::uint64_t side = std::min<std::uint64_t>(limits_.max_workgroups_per_dimension, 1024);
    const std::uint64_t window =
        std::min(binding_capacity(limits_, 4, 1), side * side * side * shape_.workgroup_size);
    const std::uint64_t starts = plan_.buffers[starts_].bytes / 4;
    for (std::uint64_t first = 0; first < results; first += window) {
      const std::uint64_t end = std::min(results, first + window);
      const BoundRange from = bind_output(starts_, first, std::min(starts, end + 1));
      const BoundRange to = bind_output(request_.slot(What::lengths), first, end);
      SelectParams params{.window_first = first,
                          .window = end - first,
                          .output_offset = to.first,
                          .offsets = {from.first}};
      std::vector<PlanBinding> bindings{
          {}, extent(0), whole(request_.slot(What::counts)), from.binding, to.binding};
      if (d_.indices) {
        const BoundRange indices = bind_output(request_.slot(What::indices), first, end);
        bindings.push_back(indices.binding);
        params.offsets.push_back(indices.first);
      }
      bindings[0] = whole(add_parameters("lengths parameters", params));
      plan_.steps.push_back(DispatchStep{"lengths", *kernel, std::move(bindings),
                                         fold_grid(ceil_div(end - first, shape_.workgroup_size),
                                                   limits_.max_workgroups_per_dimension)});
    }
    return std::nullopt;
  }

  const SelectionRequest& request_;
  const Limits& limits_;
  const SelectionDescription& d_;
  const TileShape shape_;
  const std::uint64_t slice_;
  const std::uint64_t all_tiles_;
  Plan plan_;
  std::vector<Slice> slices_;
  std::vector<Output> outputs_;
  std::uint32_t masks_ = 0;
  std::uint32_t tile_counts_ = 0;
  std::uint32_t extents_ = 0;
  std::uint32_t starts_ = 0;
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
  const auto shape = selection_shape(limits, request.masks());
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
  const std::uint64_t bytes = largest_element(request);
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
  return Builder(request, *shape, slice).build();
}

}  // namespace cumulo::plan

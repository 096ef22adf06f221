#include "plan/selection_builder.hpp"

#include <algorithm>

#include "plan/parts.hpp"

namespace cumulo::plan {
namespace {

using What = SelectionSlot::What;

// From one slice's extent to the next: both a uniform's and a storage buffer's alignment.
constexpr std::uint64_t extent_stride = 256;
constexpr std::uint64_t extent_bytes = 32;
constexpr std::uint64_t grid_offset = 8;
constexpr std::uint64_t status_offset = 20;

}  // namespace

Error selection_refused(SelectionAlgorithm algorithm, const std::string& limit, std::uint64_t value,
                        const std::string& why) {
  return {ErrorKind::unsupported, std::string(name(algorithm)) + " does not fit this device: " +
                                      why + " (" + limit + " is " + std::to_string(value) + ")"};
}

SelectionBuilder::SelectionBuilder(const SelectionRequest& request, SelectionAlgorithm algorithm,
                                   std::uint32_t workgroup_size, std::uint64_t tile)
    : request_(request),
      limits_(request.traits.limits),
      d_(request.description),
      workgroup_size_(workgroup_size),
      tile_(tile),
      all_tiles_(std::max<std::uint64_t>(ceil_div(request.description.n, tile), 1)),
      plan_(empty_selection_plan(request, name(algorithm))) {
  plan_.notes.push_back("tiles of " + std::to_string(tile) + " elements by " +
                        std::to_string(workgroup_size) +
                        " invocations: " + std::to_string(ceil_div(d_.n, tile)) + " tiles");
}

std::uint32_t SelectionBuilder::add_buffer(std::string name, std::uint64_t bytes, BufferRole role) {
  return plan::add_buffer(plan_, std::move(name), bytes, role);
}

PlanBinding SelectionBuilder::whole(std::uint32_t buffer) const {
  return plan::whole(plan_, buffer);
}

Result<std::uint32_t> SelectionBuilder::kernel(const std::string& name, std::string_view file,
                                               Values values, const std::string& before) {
  for (std::uint32_t k = 0; k < plan_.kernels.size(); ++k) {
    if (plan_.kernels[k].name == name) return k;
  }
  values.insert({{"PAIRED_LANES", 0},
                 {"WORKGROUP", workgroup_size_},
                 {"TILE", static_cast<std::int64_t>(tile_)},
                 {"TILE_WORDS", static_cast<std::int64_t>(tile_ / 32)},
                 {"MASKS", request_.masks()},
                 {"SAME_BUFFER", request_.layout.same_buffer ? 1 : 0}});
  auto text = preprocess(file, values);
  if (!text) return std::unexpected{std::move(text.error())};
  plan_.kernels.push_back({name, before + *text, workgroup_size_});
  return static_cast<std::uint32_t>(plan_.kernels.size() - 1);
}

std::optional<Error> SelectionBuilder::add_slices(std::uint64_t slice, std::uint32_t least_tiles) {
  for (std::uint64_t begin = 0; begin < d_.n; begin += slice) {
    slices_.push_back({begin, std::min(d_.n, begin + slice)});
  }
  if (slices_.size() > 1) {
    plan_.notes.push_back(slices_note(slices_.size()));
  }
  std::vector<std::uint32_t> extents;
  for (std::size_t s = 0; s < std::max<std::size_t>(slices_.size(), 1); ++s) {
    extents.resize(s * (extent_stride / 4), 0);
    const std::uint64_t count = slices_.empty() ? 0 : slices_[s].end - slices_[s].begin;
    const auto tiles = static_cast<std::uint32_t>(ceil_div(count, tile_));
    extents.insert(extents.end(), {static_cast<std::uint32_t>(count), std::max(tiles, least_tiles),
                                   0, 0, 0, 0, static_cast<std::uint32_t>(d_.n), 0});
  }
  const std::uint64_t bytes = extents.size() * 4;
  if (bytes > limits_.max_storage_binding_size) {
    return Error{ErrorKind::unsupported,
                 "the extents of " + std::to_string(slices_.size()) +
                     " slices do not fit one binding (max_storage_binding_size is " +
                     std::to_string(limits_.max_storage_binding_size) + ")"};
  }
  extents_ = plan::add_parameters(plan_, "extents", std::move(extents));
  return request_.layout.counted ? add_count(slice, least_tiles) : std::nullopt;
}

std::optional<Error> SelectionBuilder::add_count(std::uint64_t slice, std::uint32_t least_tiles) {
  auto made = add_kernel(plan_, "select_extents", "select_extents.wgsl",
                         {{"TILE", static_cast<std::int64_t>(tile_)},
                          {"LEAST_TILES", least_tiles},
                          {"STATUS_CLAMPED", status_clamped}},
                         1);
  if (!made) return std::move(made.error());
  const std::uint32_t n = request_.slot(What::n);
  std::vector<std::uint32_t> settings{static_cast<std::uint32_t>(d_.n),
                                      limits_.max_workgroups_per_dimension,
                                      request_.misalignment(n),
                                      static_cast<std::uint32_t>(slice),
                                      static_cast<std::uint32_t>(slices_.size()),
                                      extent_stride / 4,
                                      0,
                                      0};
  const std::uint32_t given = plan::add_parameters(plan_, "count settings", std::move(settings));
  plan_.steps.push_back(
      DispatchStep{"the number of elements", *made, {whole(given), whole(n), whole(extents_)}});
  plan_.status = PlanStatus{extents_, status_offset};
  return std::nullopt;
}

PlanBinding SelectionBuilder::extent(std::size_t slice) const {
  return {extents_, slice * extent_stride, extent_bytes};
}

std::uint32_t SelectionBuilder::add_parameters(const std::string& name, SelectParams params) {
  params.all_tiles = all_tiles_;
  params.capacity = result_count(d_);
  params.counts_at = request_.misalignment(request_.slot(What::counts));
  return plan::add_parameters(plan_, name, parameter_words(params));
}

void SelectionBuilder::add_dispatch(std::uint32_t kernel, std::size_t slice,
                                    std::vector<PlanBinding> bindings, const std::string& more) {
  std::optional<PlanGrid> grid;
  if (request_.layout.counted) grid = PlanGrid{extents_, slice * extent_stride + grid_offset};
  const Slice& s = slices_[slice];
  plan_.steps.push_back(DispatchStep{
      "elements " + std::to_string(s.begin) + " to " + std::to_string(s.end) + more, kernel,
      std::move(bindings),
      fold_grid(ceil_div(s.end - s.begin, tile_), limits_.max_workgroups_per_dimension), grid});
}

std::uint32_t SelectionBuilder::add_starts() {
  const std::uint64_t starts = std::min(d_.n, result_count(d_) + 1);
  return add_buffer("starts", std::max<std::uint64_t>(starts, 1) * 4, BufferRole::scratch);
}

BoundRange SelectionBuilder::bind_output(std::uint32_t buffer, std::uint64_t begin,
                                         std::uint64_t end) const {
  if (buffer < request_.slots.size()) return bind_slot(request_, buffer, begin, end);
  return bind_range(limits_, buffer, 4, begin, end);
}

std::optional<Error> SelectionBuilder::add_lengths(std::uint32_t starts) {
  auto number = kernel("select_lengths", "select_lengths.wgsl", {{"INDICES", d_.indices ? 1 : 0}});
  if (!number) return std::move(number.error());
  const std::uint64_t results = result_count(d_);
  const std::uint64_t side = std::min<std::uint64_t>(limits_.max_workgroups_per_dimension, 1024);
  const std::uint64_t window =
      std::min(binding_capacity(limits_, 4, 1), side * side * side * workgroup_size_);
  const std::uint64_t all_starts = plan_.buffers[starts].bytes / 4;
  for (std::uint64_t first = 0; first < results; first += window) {
    const std::uint64_t end = std::min(results, first + window);
    const BoundRange from = bind_output(starts, first, std::min(all_starts, end + 1));
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
    plan_.steps.push_back(DispatchStep{
        "lengths", *number, std::move(bindings),
        fold_grid(ceil_div(end - first, workgroup_size_), limits_.max_workgroups_per_dimension)});
  }
  return std::nullopt;
}

}  // namespace cumulo::plan

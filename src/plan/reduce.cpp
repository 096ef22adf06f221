// The plan of a reduction: the totals of all tiles but the last, then, by one workgroup, what they
// and the last tile come to. Reads the input once and needs no promise about how workgroups make
// progress.
#include "plan/reduce_plan.hpp"

#include <algorithm>
#include <bit>

#include "cumulo/order.hpp"
#include "plan/parts.hpp"
#include "plan/prelude.hpp"
#include "plan/scan_plans.hpp"
#include "plan/slices.hpp"
#include "plan/tuning.hpp"

namespace cumulo {
namespace plan {
namespace {

constexpr std::string_view algorithm = "tree";

Error refused(const std::string& why, const std::string& limit, std::uint64_t value) {
  return {ErrorKind::unsupported, "reduce does not fit this device: " + why + " (" + limit +
                                      " is " + std::to_string(value) + ")"};
}

class Builder {
 public:
  // copies: the value goes to the output by a copy.
  Builder(const ScanRequest& request, const TileShape& shape, bool copies,
          std::uint64_t most_totals)
      : request_(request),
        shape_(shape),
        copies_(copies),
        tiles_((request.description.n - 1) / shape.tile),
        plan_(empty_plan(request)) {
    const std::uint64_t capacity =
        slice_capacity(request.traits.limits, request.input_bytes(), shape.tile);
    batch_ = std::min(std::bit_ceil(std::max<std::uint64_t>(1, ceil_div(tiles_, most_totals))),
                      std::bit_floor(std::max<std::uint64_t>(1, capacity / shape.tile)));
    slice_ = capacity / (batch_ * shape.tile) * (batch_ * shape.tile);
    batches_ = tiles_ / batch_;
    // Fewer tiles than there can be may leave more of them over.
    totals_count_ = batches_ + (request.options.counted ? batch_ - 1 : tiles_ % batch_);
  }

  static Plan empty_plan(const ScanRequest& request) {
    const ScanDescription& d = request.description;
    Plan plan{.primitive = "reduce (" + operator_name(d) + ", " + element_name(d) + ")",
              .algorithm = std::string(algorithm),
              .n = d.n,
              .counted = request.options.counted,
              .buffers = {},
              .kernels = {},
              .steps = {}};
    plan.buffers.push_back(
        {"input", whole_words((request.options.in_misalignment + d.n) * request.input_bytes()),
         BufferRole::input});
    plan.buffers.push_back(
        {"output", whole_words((request.options.out_misalignment + 1) * request.element_bytes()),
         BufferRole::output});
    return plan;
  }

  std::optional<Error> refusal() const {
    const Limits& limits = request_.traits.limits;
    const auto too_large = [&](const std::string& why) {
      return refused(why, "max_storage_binding_size", limits.max_storage_binding_size);
    };
    const std::uint64_t padding =
        binding_period(request_.input_bytes(), limits) * request_.input_bytes();
    const std::uint64_t rest = std::min<std::uint64_t>(request_.description.n, shape_.tile);
    if (padding + rest * request_.input_bytes() > limits.max_storage_binding_size) {
      return too_large("one tile is larger than a binding");
    }
    if ((request_.options.out_misalignment + 1) * request_.element_bytes() >
        limits.max_storage_binding_size) {
      return too_large("the value does not fit a binding");
    }
    if (limits.max_workgroups_per_dimension == 0) {
      return refused("it dispatches workgroups", "max_workgroups_per_dimension", 0);
    }
    if (limits.max_storage_buffers_per_stage < 3) {
      return refused("it binds 3 storage buffers", "max_storage_buffers_per_stage",
                     limits.max_storage_buffers_per_stage);
    }
    if (tiles_ == 0) return std::nullopt;
    // Where the last tile begins moves with the count.
    if (request_.options.counted && request_.description.n > slice_) {
      return too_large(
          "counted on the device, all elements must fit one binding and one grid: at most " +
          std::to_string(slice_) + " of them");
    }
    if (totals_count_ * request_.combined_bytes() > limits.max_storage_binding_size) {
      return too_large(std::to_string(totals_count_) + " totals do not fit one binding");
    }
    if (const std::uint64_t slices = ceil_div(tiles_ * shape_.tile, slice_); slices > most_slices) {
      return too_large(std::to_string(request_.description.n) + " elements take " +
                       std::to_string(slices) + " slices, and at most " +
                       std::to_string(most_slices) + " are planned");
    }
    return std::nullopt;
  }

  Result<Plan> build() {
    plan_.notes.push_back("tiles of " + std::to_string(shape_.tile) + " elements by " +
                          std::to_string(shape_.workgroup_size) +
                          " invocations: " + std::to_string(tiles_) + " in batches of " +
                          std::to_string(batch_) + ", and the rest");
    if (tiles_ > 0) {
      totals_ = add_buffer(plan_, "totals", totals_count_ * request_.combined_bytes(),
                           BufferRole::scratch);
    }
    if (copies_) {
      value_ =
          add_buffer(plan_, "value", whole_words(request_.element_bytes()), BufferRole::output);
    }
    if (request_.options.counted) {
      if (auto made = add_count(); !made) return std::unexpected{made.error()};
    }
    if (tiles_ > 0) {
      const auto kernel = add_scan_kernel("reduce_batches");
      if (!kernel) return std::unexpected{kernel.error()};
      const std::uint64_t end = tiles_ * shape_.tile;
      for (std::uint64_t begin = 0; begin < end; begin += slice_) {
        add_batches(*kernel, {begin, std::min(end, begin + slice_)});
      }
      if (end > slice_) {
        plan_.notes.push_back(slices_note(ceil_div(end, slice_)));
      }
    }
    const auto kernel = add_scan_kernel("reduce_rest");
    if (!kernel) return std::unexpected{kernel.error()};
    if (auto made = add_rest(*kernel); !made) return std::unexpected{std::move(made.error())};
    return std::move(plan_);
  }

 private:
  std::uint32_t add_slice_parameters(std::string name, const SliceParams& params) {
    return add_parameters(plan_, std::move(name), parameter_words(request_, params));
  }

  // Returns the kernel's number.
  Result<std::uint32_t> add_scan_kernel(std::string_view kernel) {
    Values values = kernel_values(request_);
    add_tile_values(values, shape_);
    const bool exact = is_exact(request_.description);
    // Where the order makes no difference, there is one entry an invocation.
    const std::uint32_t entries = exact ? shape_.workgroup_size : shape_.tree;
    const auto bits = [](std::uint32_t power_of_two) { return std::countr_zero(power_of_two); };
    values.insert({{"SLOTS", entries + entries / 8},
                   {"QUADS_BITS", bits(shape_.tree)},
                   {"WORKGROUP_BITS", bits(shape_.workgroup_size)},
                   {"ROW_BITS", bits(order::quads_per_row)},
                   {"STRIP_BITS", bits(order::strip / order::quad)},
                   {"INPUT_WORDS", input_words()},
                   {"VECTOR_WORDS", has_half_input(request_.description) ? 2 : 4},
                   {"SHIFT", shift()},
                   {"BATCH", static_cast<std::int64_t>(batch_)},
                   {"ANY_ORDER", exact ? 1 : 0},
                   {"TILE", shape_.tile},
                   {"COUNTED", request_.options.counted ? 1 : 0},
                   {"HAS_TOTALS", tiles_ > 0 ? 1 : 0}});
    auto made =
        make_kernel(request_, kernel, std::string(kernel) + ".wgsl", values, shape_.workgroup_size);
    if (!made) return std::unexpected{std::move(made.error())};
    plan_.kernels.push_back(std::move(*made));
    return static_cast<std::uint32_t>(plan_.kernels.size() - 1);
  }

  // Of an element, four of which are moved as vectors of four; those of halves are of halves.
  std::int64_t input_words() const {
    return has_half_input(request_.description)
               ? 1
               : static_cast<std::int64_t>(request_.input_bytes() / 4);
  }

  // Words, or halves, between the last whole vector before a quad and the quad: the same for all
  // slices, as they begin whole quads apart.
  std::int64_t shift() const { return request_.options.in_misalignment * input_words() % 4; }

  PlanBinding bind(std::uint32_t buffer) const { return whole(plan_, buffer); }

  BoundRange whole_input() const {
    const std::uint64_t start = request_.options.in_misalignment;
    return bind_elements(request_, input_buffer, start, start + request_.description.n);
  }

  std::uint32_t value_offset() const { return copies_ ? 0 : request_.options.out_misalignment; }

  // Before all else: how many elements there are, and what follows from that. All steps share the
  // parameters.
  Result<void> add_count() {
    std::vector<std::uint32_t> words =
        parameter_words(request_, {.in_offset = whole_input().first, .out_offset = value_offset()});
    const std::uint64_t grid = words.size() * 4;
    words.resize(words.size() + 4);  // the grid and the status
    parameters_ = add_parameters(plan_, "parameters", std::move(words));
    grid_ = PlanGrid{parameters_, grid};
    plan_.status = PlanStatus{parameters_, grid + 12};

    const std::uint32_t misalignment = request_.options.count_misalignment;
    const std::uint32_t count =
        add_buffer(plan_, "count", (std::uint64_t{misalignment} + 1) * 4, BufferRole::count);
    std::vector<std::uint32_t> settings{static_cast<std::uint32_t>(request_.description.n),
                                        request_.traits.limits.max_workgroups_per_dimension,
                                        value_offset(), misalignment};
    const std::vector<std::uint32_t> nothing =
        result_words(request_.description, identity_words(request_.description));
    settings.insert(settings.end(), nothing.begin(), nothing.end());
    settings.resize(12);
    const std::uint32_t given = add_parameters(plan_, "count settings", std::move(settings));

    // It combines nothing: the operator is not put before it.
    Values values = kernel_values(request_);
    values.insert({{"TILE", shape_.tile},
                   {"BATCH", static_cast<std::int64_t>(batch_)},
                   {"REDUCTION", 1},
                   {"STATUS_CLAMPED", status_clamped}});
    const auto kernel = add_kernel(plan_, "count_elements", "count_elements.wgsl", values, 1);
    if (!kernel) return std::unexpected{kernel.error()};
    plan_.steps.push_back(
        DispatchStep{"the number of elements",
                     *kernel,
                     {bind(given), bind(count), bind(parameters_), bind(value_)}});
    return {};
  }

  // A whole number of batches, but the last slice may end in single tiles.
  void add_batches(std::uint32_t kernel, const Slice& slice) {
    const bool counted = request_.options.counted;
    const std::uint64_t start = request_.options.in_misalignment;
    const BoundRange in =
        counted ? whole_input()
                : bind_elements(request_, input_buffer, start + slice.begin, start + slice.end);
    const std::uint64_t tiles = (slice.end - slice.begin) / shape_.tile;
    const std::uint64_t totals = counted ? totals_count_ : tiles / batch_ + tiles % batch_;
    const std::uint32_t parameters =
        counted ? parameters_
                : add_slice_parameters(
                      "parameters from " + std::to_string(slice.begin),
                      {.count = static_cast<std::uint32_t>(slice.end - slice.begin),
                       .tiles = static_cast<std::uint32_t>(totals),
                       .first_tile = static_cast<std::uint32_t>(slice.begin / shape_.tile / batch_),
                       .is_last = false,
                       .in_offset = in.first,
                       .batches = static_cast<std::uint32_t>(tiles / batch_)});
    DispatchStep step{
        "elements " + std::to_string(slice.begin) + " to " + std::to_string(slice.end),
        kernel,
        {bind(parameters), in.binding, bind(totals_)},
        fold_grid(totals, request_.traits.limits.max_workgroups_per_dimension),
        grid_};
    if (shift() != 0) step.bindings.push_back(in.binding);
    plan_.steps.push_back(std::move(step));
  }

  Result<void> add_rest(std::uint32_t kernel) {
    const std::uint64_t start = request_.options.in_misalignment;
    const std::uint64_t begin = tiles_ * shape_.tile;
    const std::uint64_t end = request_.description.n;
    const bool counted = request_.options.counted;
    const BoundRange in =
        counted ? whole_input() : bind_elements(request_, input_buffer, start + begin, start + end);
    const std::uint32_t parameters =
        counted ? parameters_
                : add_slice_parameters("parameters of the rest",
                                       {.count = static_cast<std::uint32_t>(end - begin),
                                        .tiles = static_cast<std::uint32_t>(totals_count_),
                                        .in_offset = in.first,
                                        .out_offset = value_offset(),
                                        .batches = static_cast<std::uint32_t>(batches_)});
    DispatchStep step{
        counted ? "the rest" : "elements " + std::to_string(begin) + " to " + std::to_string(end),
        kernel,
        {bind(parameters), in.binding, bind(value_)}};
    if (tiles_ > 0) step.bindings.push_back(bind(totals_));
    plan_.steps.push_back(std::move(step));
    if (!copies_) return {};
    return copy_result(plan_, request_, value_, output_buffer, request_.options.out_misalignment);
  }

  const ScanRequest& request_;
  const TileShape shape_;
  const bool copies_;
  const std::uint64_t tiles_;  // all but the last one, which has 1 to shape_.tile elements
  std::uint64_t batch_ = 1;    // tiles
  std::uint64_t batches_ = 0;
  std::uint64_t totals_count_ = 0;  // of batches, then of the tiles that are left over
  std::uint64_t slice_ = 0;         // elements
  Plan plan_;
  std::uint32_t totals_ = 0;
  std::uint32_t value_ = output_buffer;
  // Where the elements are counted on the device:
  std::uint32_t parameters_ = 0;
  std::optional<PlanGrid> grid_;
};

// No elements: the value is the identity.
Result<Plan> plan_nothing(const ScanRequest& request) {
  Plan plan = Builder::empty_plan(request);
  const std::uint32_t value =
      add_parameters(plan, "parameters", total_of_nothing(request.description));
  const std::uint64_t at = request.options.out_misalignment;
  if (auto ok = copy_result(plan, request, value, output_buffer, at); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  return plan;
}

}  // namespace

Result<Plan> plan_reduce(const ReduceDescription& description, const Traits& traits,
                         const PlanOptions& options, std::uint64_t most_totals) {
  if (auto valid = validate(description); !valid) return std::unexpected{std::move(valid.error())};
  const ScanDescription scan = as_scan(description);
  const Words absent = absent_words(scan);
  // A kernel cannot write one part of a buffer that it reads another part of.
  const bool copies = options.aliasing != Aliasing::none;
  PlanOptions apart = options;
  apart.aliasing = Aliasing::none;
  const ScanRequest request{scan, traits, apart, absent, absent};
  if (auto error = elements_refusal(request, "reductions", 1)) {
    return std::unexpected{std::move(*error)};
  }
  if (options.counted && description.n == 0) {
    return std::unexpected{
        Error{ErrorKind::bad_argument, "counted on the device, there must be room for 1 element"}};
  }
  const auto shape = reduce_shape(traits.limits, request.combined_bytes());
  if (!shape) {
    const LimitTooSmall cause =
        limit_too_small(traits.limits, request.combined_bytes(), reduce_shape);
    return std::unexpected{
        refused("the smallest tile needs " + std::string(cause.needs), cause.limit, cause.value)};
  }
  if (description.n == 0) return plan_nothing(request);
  Builder builder(request, *shape, copies, most_totals);
  if (auto error = builder.refusal()) return std::unexpected{std::move(*error)};
  return builder.build();
}

}  // namespace plan

Result<Plan> plan_reduce(const ReduceDescription& description, const Traits& traits,
                         const PlanOptions& options) {
  return plan::plan_reduce(description, traits, options, plan::reduce_totals_limit());
}

}  // namespace cumulo

// The single pass of a selection, for subgroups of 32 lanes on devices whose started workgroups
// keep running; of a partition two passes, the second without waiting.
#include <algorithm>
#include <limits>

#include "plan/prelude.hpp"
#include "plan/selection_builder.hpp"
#include "plan/spine.hpp"

namespace cumulo::plan {
namespace {

using What = SelectionSlot::What;

Error unfit(const std::string& why) {
  return {ErrorKind::unsupported, "single-pass does not fit: " + why};
}

Error beyond(const std::string& limit, std::uint64_t value, const std::string& why) {
  return selection_refused(SelectionAlgorithm::single_pass, limit, value, why);
}

constexpr std::size_t most_offsets = 20;

// One of the arrays that a pass writes, and where its elements are read.
struct Written {
  std::uint32_t output;                 // slot
  std::optional<std::uint32_t> source;  // number of the source that it is
  std::uint32_t input;                  // slot, where it is none of them
  std::uint32_t words;
};

class Builder {
 public:
  Builder(const SelectionRequest& request, const SelectionPassShape& shape)
      : request_(request),
        limits_(request.traits.limits),
        d_(request.description),
        shape_(shape),
        parts_(shape.workgroup_size / 32),
        tile_(std::uint64_t{shape.workgroup_size} * shape.rows),
        partitions_(d_.rest == Rest::follows),
        b_(request, SelectionAlgorithm::single_pass, shape.workgroup_size, tile_) {}

  Result<Plan> build() {
    if (auto error = refusal()) return std::unexpected{std::move(*error)};
    if (auto error = b_.add_slices(d_.n, 1)) return std::unexpected{std::move(*error)};
    spine_ = add_spine(b_.plan(), count_spine, b_.all_tiles(), SpineWord::u32, 12);
    if (partitions_) {
      masks_ = b_.add_buffer("masks", b_.all_tiles() * tile_ / 8, BufferRole::scratch);
      bases_ = b_.add_buffer("chunk bases", (b_.all_tiles() * parts_ + 1) * 4, BufferRole::scratch);
    }
    if (d_.lengths) starts_ = b_.add_starts();
    if (auto error = add_pass()) return std::unexpected{std::move(*error)};
    if (partitions_) {
      if (auto error = add_gathers()) return std::unexpected{std::move(*error)};
    }
    if (d_.lengths) {
      if (auto error = b_.add_lengths(starts_)) return std::unexpected{std::move(*error)};
    }
    for (const PlanStep& step : b_.plan().steps) {
      if (auto error = binding_refusal(std::get<DispatchStep>(step))) {
        return std::unexpected{std::move(*error)};
      }
    }
    return std::move(b_.plan());
  }

 private:
  std::optional<Error> refusal() const {
    const Traits& traits = request_.traits;
    if (!traits.subgroups) return unfit("it needs subgroups of 32 lanes, and there are none");
    if (traits.subgroup_width != 32) {
      return unfit("it needs subgroups of 32 lanes (subgroup_width is " +
                   std::to_string(traits.subgroup_width) + ")");
    }
    if (d_.rest == Rest::three_way) return unfit("it makes no three-way partitions");
    const std::string invocations =
        "it needs " + std::to_string(shape_.workgroup_size) + " invocations a workgroup";
    if (shape_.workgroup_size > limits_.max_invocations_per_workgroup) {
      return beyond("max_invocations_per_workgroup", limits_.max_invocations_per_workgroup,
                    invocations);
    }
    if (shape_.workgroup_size > limits_.max_workgroup_size_x) {
      return beyond("max_workgroup_size_x", limits_.max_workgroup_size_x, invocations);
    }
    const std::uint64_t part_totals = std::uint64_t{parts_} * 4;
    constexpr std::uint64_t before_parts = std::uint64_t{3} * 4;      // lib/look_back_count.wgsl
    constexpr std::uint64_t drawn = 4;                                // lib/spine.wgsl
    const std::uint64_t staged = partitions_ ? parts_ * 288 * 4 : 0;  // select_gather.wgsl
    const std::uint64_t memory =
        std::max(workgroup_memory({part_totals, before_parts, drawn}), workgroup_memory({staged}));
    if (memory > limits_.max_workgroup_memory) {
      return beyond("max_workgroup_memory", limits_.max_workgroup_memory,
                    "it needs " + std::to_string(memory) + " bytes of workgroup memory");
    }
    const std::uint64_t tiles = ceil_div(d_.n, tile_);
    if (parts_ < 3 || tile_ > std::uint64_t{1} << 18) return unfit("no such shape of a tile");
    if (tiles > most_count_tiles) return unfit(std::to_string(tiles) + " tiles are too many");
    if (tiles > limits_.max_workgroups_per_dimension) {
      return beyond("max_workgroups_per_dimension", limits_.max_workgroups_per_dimension,
                    "it needs " + std::to_string(tiles) + " workgroups");
    }
    for (std::uint32_t k = 0; k < request_.slots.size(); ++k) {
      const SelectionSlot& slot = request_.slots[k];
      const std::uint64_t bytes = (request_.misalignment(k) + slot.elements) * slot.element_bytes;
      if (bytes > limits_.max_storage_binding_size) {
        return beyond("max_storage_binding_size", limits_.max_storage_binding_size,
                      slot.name + " is more than one binding holds");
      }
      if (bytes / 4 > std::numeric_limits<std::uint32_t>::max()) {
        return unfit(slot.name + " has more words than 32 bits count");
      }
    }
    return std::nullopt;
  }

  // What is bound, once all is known.
  std::optional<Error> binding_refusal(const DispatchStep& step) const {
    for (const PlanBinding& binding : step.bindings) {
      if (binding.bytes <= limits_.max_storage_binding_size) continue;
      return beyond("max_storage_binding_size", limits_.max_storage_binding_size,
                    b_.plan().buffers[binding.buffer].name + " is more than one binding holds");
    }
    const auto buffers = std::ranges::count_if(step.bindings, [&](const PlanBinding& binding) {
      return b_.plan().buffers[binding.buffer].role != BufferRole::parameters;
    });
    if (static_cast<std::uint64_t>(buffers) <= limits_.max_storage_buffers_per_stage) {
      return std::nullopt;
    }
    return beyond("max_storage_buffers_per_stage", limits_.max_storage_buffers_per_stage,
                  "it binds " + std::to_string(buffers) + " storage buffers");
  }

  BoundRange bind_all(std::uint32_t slot) const {
    return bind_slot(request_, slot, 0, request_.slots[slot].elements);
  }

  std::vector<Written> written() const {
    std::vector<Written> all;
    const std::vector<std::uint32_t> sources = request_.sources();
    for (std::uint32_t k = 0; k < request_.slots.size(); ++k) {
      const SelectionSlot& slot = request_.slots[k];
      if (slot.what != What::kept || slot.elements == 0) continue;
      Written w{k, std::nullopt, request_.slot(What::array, slot.array), slot.element_bytes / 4};
      const auto at = std::ranges::find(sources, w.input);
      if (at != sources.end()) w.source = static_cast<std::uint32_t>(at - sources.begin());
      all.push_back(w);
    }
    return all;
  }

  // An output, as the kernel sees it: its number in the bindings and the params.offsets.
  struct Names {
    std::string array;
    std::string offset;
  };

  // Binds a range as `name`; says how the kernel gets at it.
  Names add_binding(const std::string& name, const BoundRange& range, bool is_written) {
    const std::size_t binding = bindings_.size();
    text_ += "@group(0) @binding(" + std::to_string(binding) + ") var<storage, " +
             (is_written || request_.layout.same_buffer ? "read_write" : "read") + "> " + name +
             ": array<u32>;\n";
    bindings_.push_back(range.binding);
    offsets_.push_back(range.first);
    return {name, offset_text(offsets_.size() - 1)};
  }

  // The functions by which the kernel reads and writes what is not decided by the source alone.
  void add_outputs() {
    std::string others;
    // The starts of runs go one further than the other results.
    const bool is_capped = d_.lengths && result_count(d_) < d_.n;
    const std::string where_room = is_capped ? "if (to < params.capacity) { " : "{ ";
    std::vector<Written> arrays = written();
    // The value is the first array of words: it is loaded for all lanes at once.
    const auto value = std::ranges::find(arrays, 1U, &Written::words);
    has_value_ = value != arrays.end();
    holds_ = has_value_ && value->source == 0U && request_.sources().size() == 1 && !d_.flags;
    for (const Written& w : arrays) {
      const std::string number = std::to_string(w.output);
      const Names out = add_binding("output_" + number, bind_all(w.output), true);
      Names in;
      if (w.source) {
        in = {"source_" + std::to_string(*w.source), offset_text(*w.source)};
      } else {
        in = add_binding("input_" + number, bind_all(w.input), false);
      }
      if (has_value_ && w.output == value->output) {
        text_ += "fn load_value(i: u32) -> u32 { return " + in.array + "[" + in.offset +
                 " + i]; }\nfn store_value(to: u32, value: u32) { " + where_room + out.array + "[" +
                 out.offset + " + to] = value; } }\n";
        continue;
      }
      const std::string words = std::to_string(w.words) + "u";
      for (std::uint32_t k = 0; k < w.words; ++k) {
        const std::string word = std::to_string(k) + "u";
        others += "  " + out.array + "[" + out.offset + " + to * " + words + " + " + word +
                  "] = " + in.array + "[" + in.offset + " + i * " + words + " + " + word + "];\n";
      }
    }
    if (d_.lengths) {
      const std::uint64_t all = b_.plan().buffers[starts_].bytes / 4;
      const Names out = add_binding("starts", b_.bind_output(starts_, 0, all), true);
      others += "  " + out.array + "[" + out.offset + " + to] = i;\n";
    } else if (d_.indices && result_count(d_) > 0) {
      const Names out = add_binding("output_indices", bind_all(request_.slot(What::indices)), true);
      others += "  " + out.array + "[" + out.offset + " + to] = i;\n";
    }
    text_ += "fn store_others(to: u32, i: u32) {\n" + others + "}\n";
  }

  // What the value decides, where it is held.
  std::string value_text() const {
    if (!holds_ || !d_.predicate) return "";
    const PredicateColumn& column = d_.predicate->columns[0];
    const std::string x = column.words > 0 ? "array<u32, 1>(value)"
                          : column.type == Type::u32
                              ? "value"
                              : "bitcast<" + std::string(name(column.type)) + ">(value)";
    return "fn is_selected_value(i: u32, value: u32) -> bool { return keep(i, " + x + "); }\n";
  }

  std::optional<Error> add_pass() {
    const std::uint32_t counts = request_.slot(What::counts);
    bindings_ = {{}, b_.extent(0), b_.whole(spine_), b_.whole(counts)};
    if (partitions_) {
      bindings_.push_back(b_.whole(masks_));
      bindings_.push_back(b_.whole(bases_));
    }
    const auto first_source = static_cast<std::uint32_t>(bindings_.size());
    for (const std::uint32_t slot : request_.sources()) {
      const BoundRange range = bind_source(request_, slot, 0, d_.n);
      bindings_.push_back(range.binding);
      offsets_.push_back(range.first);
    }
    auto source = source_text(request_, first_source);
    if (!source) return std::move(source.error());
    const bool flag_bytes = d_.flags == FlagType::u8;
    const bool vectors = flag_bytes && add_vectors(first_source);
    const auto vector_binding = static_cast<std::int64_t>(bindings_.size()) - 1;
    if (!partitions_) add_outputs();
    if (offsets_.size() > most_offsets) return unfit("the call has too many arrays");

    auto text =
        prelude({.type = Type::u32}, {.dialect = request_.traits.dialect, .subgroups = true});
    if (!text) return std::move(text.error());
    const std::uint32_t chunk = std::min(shape_.chunk, shape_.rows);
    // The starts of runs go one further than the capacity.
    const std::uint64_t room = result_count(d_) + (d_.lengths ? 1 : 0);
    Values values{{"ROWS", shape_.rows},
                  {"PARTS", parts_},
                  {"CHUNK", chunk},
                  {"WORDS", 1},
                  {"COMMUTATIVE", 1},
                  {"WAITS", 1},
                  {"GATE", shape_.gate},
                  {"GATE_END", shape_.gate_end},
                  {"SPINE", 2},
                  {"MASKS_OUT", partitions_ ? 1 : 0},
                  {"FLAG_BYTES", flag_bytes ? 1 : 0},
                  {"VECTORS", vectors ? 1 : 0},
                  {"VECTOR_BINDING", vector_binding},
                  {"BALLOTS", d_.flags && d_.flags != FlagType::u32 ? 0 : 1},
                  {"HEADS", d_.heads ? 1 : 0},
                  {"HOLD", holds_ ? 1 : 0},
                  {"VALUE", has_value_ ? 1 : 0},
                  {"CAPPED", !partitions_ && room < d_.n ? 1 : 0},
                  {"ROOM_BEHIND", d_.lengths ? 1 : 0}};
    add_spine_values(values, request_.traits, request_.layout.withhold, count_spine,
                     SpineWord::u32);
    auto kernel = b_.kernel("select_pass", "select_pass.wgsl", std::move(values),
                            *text + *source + text_ + value_text());
    if (!kernel) return std::move(kernel.error());
    bindings_[0] = b_.whole(b_.add_parameters("parameters", {.offsets = offsets_}));
    b_.add_dispatch(*kernel, 0, bindings_);
    return std::nullopt;
  }

  // The flags again, as vectors, as far as those are whole.
  bool add_vectors(std::uint32_t first_source) {
    PlanBinding whole = bindings_[first_source];
    whole.bytes = whole.bytes / 16 * 16;
    if (offsets_[0] % 4 != 0 || whole.bytes == 0 || request_.layout.same_buffer) return false;
    bindings_.push_back(whole);
    return true;
  }

  std::optional<Error> add_gathers() {
    for (std::uint32_t k = 0; k < request_.slots.size(); ++k) {
      const SelectionSlot& slot = request_.slots[k];
      const bool is_kept = slot.what == What::kept;
      if (!is_kept && slot.what != What::indices) continue;
      const std::uint32_t words = slot.element_bytes / 4;
      auto text =
          prelude({.type = Type::u32}, {.dialect = request_.traits.dialect, .subgroups = true});
      if (!text) return std::move(text.error());
      auto kernel = b_.kernel(is_kept ? "select_gather_" + std::to_string(words) : "gather_indices",
                              "select_gather.wgsl",
                              {{"PARTS", parts_},
                               {"WORDS", words},
                               {"COMMUTATIVE", 1},
                               {"STAGED", words == 1 ? 1 : 0},
                               {"INDICES", is_kept ? 0 : 1}},
                              *text);
      if (!kernel) return std::move(kernel.error());
      const BoundRange out = bind_all(k);
      SelectParams params{.output_offset = out.first};
      std::vector<PlanBinding> bindings{
          {}, b_.extent(0), b_.whole(masks_), b_.whole(bases_), out.binding};
      if (is_kept) {
        const BoundRange in = bind_all(request_.slot(What::array, slot.array));
        bindings.push_back(in.binding);
        params.offsets = {in.first};
      }
      bindings[0] = b_.whole(b_.add_parameters(slot.name + " parameters", params));
      b_.add_dispatch(*kernel, 0, std::move(bindings), " to " + slot.name);
    }
    return std::nullopt;
  }

  const SelectionRequest& request_;
  const Limits& limits_;
  const SelectionDescription& d_;
  const SelectionPassShape shape_;
  const std::uint32_t parts_;
  const std::uint64_t tile_;
  const bool partitions_;
  SelectionBuilder b_;
  std::uint32_t spine_ = 0;
  std::uint32_t masks_ = 0;
  std::uint32_t bases_ = 0;
  std::uint32_t starts_ = 0;
  std::vector<PlanBinding> bindings_;
  std::vector<std::uint32_t> offsets_;
  std::string text_;
  bool has_value_ = false;
  bool holds_ = false;
};

}  // namespace

Result<Plan> plan_selection_pass(const SelectionRequest& request, const SelectionPassShape& shape) {
  return Builder(request, shape).build();
}

Result<Plan> plan_selection_pass(const SelectionRequest& request) {
  const SelectionDescription& d = request.description;
  SelectionMask mask = SelectionMask::flags;
  if (d.predicate) mask = SelectionMask::predicate;
  if (d.heads) mask = d.indices || d.lengths ? SelectionMask::runs : SelectionMask::heads;
  if (d.rest == Rest::follows) mask = SelectionMask::partition;
  return plan_selection_pass(request, selection_pass_shape(mask, d.n));
}

}  // namespace cumulo::plan

#include "plan_check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <utility>

namespace cumulo::test {
namespace {

using testing::AssertionFailure;
using testing::AssertionResult;
using testing::AssertionSuccess;

// The words at the front of a parameters buffer; lib/params.wgsl names them.
struct SliceParameters {
  std::uint64_t count, tiles, first_tile, is_last, in_offset, out_offset, all_tiles, initial_at;
};

SliceParameters slice_of(const Plan& plan, const DispatchStep& dispatch) {
  const std::vector<std::uint32_t>& w = plan.buffers.at(dispatch.bindings.at(0).buffer).contents;
  return {w.at(0), w.at(1), w.at(2), w.at(3), w.at(4), w.at(5), w.at(6), w.at(7)};
}

AssertionResult keeps_bindings(const Plan& plan, const DispatchStep& dispatch,
                               const Limits& limits) {
  std::uint32_t storage_buffers = 0;
  for (const PlanBinding& b : dispatch.bindings) {
    if (b.buffer >= plan.buffers.size()) return AssertionFailure() << "no buffer " << b.buffer;
    const PlanBuffer& buffer = plan.buffers[b.buffer];
    if (buffer.role != BufferRole::parameters) ++storage_buffers;
    if (b.offset % limits.min_storage_offset_alignment != 0) {
      return AssertionFailure() << buffer.name << " is bound at " << b.offset;
    }
    if (b.bytes == 0 || b.bytes % 4 != 0 || b.bytes > limits.max_storage_binding_size) {
      return AssertionFailure() << b.bytes << " bytes of " << buffer.name << " are bound";
    }
    if (b.offset > buffer.bytes || b.bytes > buffer.bytes - b.offset) {
      return AssertionFailure() << buffer.name << " is bound past its end";
    }
  }
  if (storage_buffers > limits.max_storage_buffers_per_stage) {
    return AssertionFailure() << storage_buffers << " storage buffers in one dispatch";
  }
  return AssertionSuccess();
}

// Bytes of an Element: a scalar, or a struct with a field of 4 bytes a line.
std::uint64_t element_bytes_in(const std::string& wgsl) {
  for (const char* const wide : {"alias Element = u64;", "alias Element = i64;"}) {
    if (wgsl.find(wide) != std::string::npos) return 8;
  }
  const std::string opening = "struct Element {\n";
  const auto begin = wgsl.find(opening);
  if (begin == std::string::npos) return 4;
  const auto first = wgsl.begin() + static_cast<std::ptrdiff_t>(begin + opening.size());
  return 4 * static_cast<std::uint64_t>(std::count(first, std::find(first, wgsl.end(), '}'), '\n'));
}

// Bytes of the workgroup's variables, each rounded to 16 as WebGPU does: WORD or array<WORD,
// COUNT>, where a WORD is an Element, a vec2 of words, or 4 bytes.
std::uint64_t workgroup_memory(const PlanKernel& kernel) {
  static const std::regex variable{R"(var<workgroup> \w+: (array<)?(\w+)[^;,]*(?:, (\d+)>)?;)"};
  const std::uint64_t element_bytes = element_bytes_in(kernel.wgsl);
  std::uint64_t bytes = 0;
  for (std::sregex_iterator at{kernel.wgsl.begin(), kernel.wgsl.end(), variable}, end; at != end;
       ++at) {
    const std::uint64_t each = (*at)[2] == "Element" ? element_bytes : (*at)[2] == "vec2" ? 8 : 4;
    const std::uint64_t variable_bytes = (*at)[3].matched ? each * std::stoull((*at)[3]) : each;
    bytes += (variable_bytes + 15) / 16 * 16;
  }
  return bytes;
}

AssertionResult keeps_grid(const DispatchStep& dispatch, const Limits& limits) {
  for (const std::uint32_t factor : dispatch.workgroups) {
    if (factor == 0 || factor > limits.max_workgroups_per_dimension) {
      return AssertionFailure() << "a grid of " << factor << " workgroups in one dimension";
    }
  }
  return AssertionSuccess();
}

std::uint64_t grid_size(const DispatchStep& dispatch) {
  const auto& [x, y, z] = dispatch.workgroups;
  return std::uint64_t{x} * y * z;
}

// Half-open ranges of elements, in any order, that must make up [begin, end) without a gap.
AssertionResult make_up(std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges,
                        std::uint64_t begin, std::uint64_t end, const std::string& what) {
  std::sort(ranges.begin(), ranges.end());
  std::uint64_t covered = begin;
  for (const auto& [first, last] : ranges) {
    if (first != covered) {
      return AssertionFailure() << what << ": element " << covered << " is followed by " << first;
    }
    covered = last;
  }
  if (covered != end) {
    return AssertionFailure() << what << ": " << covered << " elements instead of " << end;
  }
  return AssertionSuccess();
}

// Whether the step after `at` copies what lies from `from` to `end` in the output.
bool is_copied(const Plan& plan, std::size_t at, std::uint64_t from, std::uint64_t end) {
  if (at + 1 >= plan.steps.size()) return false;
  const auto* copy = std::get_if<CopyStep>(&plan.steps[at + 1]);
  return copy && plan.buffers.at(copy->to).name == "output" && copy->to_offset == from &&
         from + copy->bytes >= end &&
         copy->from_offset + copy->bytes <= plan.buffers.at(copy->from).bytes;
}

// The kernels of one name that bind slices of a caller's buffer must together see all of it, once.
AssertionResult covers_all_elements(const Plan& plan, const ScanDescription& d,
                                    const PlanOptions& options) {
  const std::uint64_t in_bytes = input_bytes(d);
  const std::uint64_t out_bytes = element_bytes(d);
  const std::uint64_t in_begin = options.in_misalignment;
  const std::uint64_t shift = d.include_initial && !d.reverse ? 1 : 0;
  const std::uint64_t out_begin = options.out_misalignment + shift;
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::uint64_t>>> in, out;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const auto* dispatch = std::get_if<DispatchStep>(&plan.steps[i]);
    if (!dispatch) continue;
    const SliceParameters slice = slice_of(plan, *dispatch);
    const std::string& kernel = plan.kernels.at(dispatch->kernel).name;
    // A buffer may be bound twice, once as vectors and so without its last words.
    std::map<std::uint32_t, PlanBinding> bound;
    for (const PlanBinding& b : dispatch->bindings) {
      const auto [known, is_new] = bound.try_emplace(b.buffer, b);
      if (!is_new && known->second.offset != b.offset) {
        return AssertionFailure() << "two bindings begin at different places";
      }
      known->second.bytes = std::max(known->second.bytes, b.bytes);
    }
    for (const auto& [buffer, b] : bound) {
      const BufferRole role = plan.buffers[buffer].role;
      if (role == BufferRole::input) {
        if (b.offset % in_bytes != 0) return AssertionFailure() << "an element is cut by a binding";
        const std::uint64_t first = b.offset / in_bytes + slice.in_offset;
        in[kernel].emplace_back(first, first + slice.count);
        if ((slice.in_offset + slice.count) * in_bytes > b.bytes) {
          return AssertionFailure() << "a slice reaches past its binding of the input";
        }
      } else if (plan.buffers[buffer].name == "output") {
        if (b.offset % out_bytes != 0) return AssertionFailure() << "a result is cut by a binding";
        const std::uint64_t first = b.offset / out_bytes + slice.out_offset;
        out[kernel].emplace_back(first, first + slice.count);
        const std::uint64_t end = (first + slice.count) * out_bytes;
        if (end > b.offset + b.bytes && !is_copied(plan, i, b.offset + b.bytes, end)) {
          return AssertionFailure() << "a slice reaches past its binding of the output";
        }
      }
      if (role == BufferRole::input && grid_size(*dispatch) < slice.tiles) {
        return AssertionFailure() << grid_size(*dispatch) << " workgroups for " << slice.tiles
                                  << " tiles";
      }
    }
  }
  for (const auto& [kernel, ranges] : in) {
    const auto complete = make_up(ranges, in_begin, in_begin + d.n, "input");
    if (!complete) return complete;
  }
  for (const auto& [kernel, ranges] : out) {
    const auto complete = make_up(ranges, out_begin, out_begin + d.n, "output");
    if (!complete) return complete;
  }
  if (options.aliasing == Aliasing::none && in.empty()) return AssertionFailure() << "nothing read";
  if (out.empty()) return AssertionFailure() << "nothing written";
  return AssertionSuccess();
}

}  // namespace

AssertionResult keeps_device_limits(const Plan& plan, const Traits& traits) {
  const Limits& limits = traits.limits;
  for (const PlanKernel& kernel : plan.kernels) {
    if (kernel.workgroup_size == 0 ||
        kernel.workgroup_size > limits.max_invocations_per_workgroup ||
        kernel.workgroup_size > limits.max_workgroup_size_x) {
      return AssertionFailure() << kernel.name << " has " << kernel.workgroup_size
                                << " invocations";
    }
    if (workgroup_memory(kernel) > limits.max_workgroup_memory) {
      return AssertionFailure() << kernel.name << " has " << workgroup_memory(kernel)
                                << " bytes of workgroup memory";
    }
  }
  for (const PlanBuffer& buffer : plan.buffers) {
    const bool is_ours = buffer.role == BufferRole::scratch;
    if (is_ours && (buffer.bytes == 0 || buffer.bytes > limits.max_buffer_size)) {
      return AssertionFailure() << buffer.name << " has " << buffer.bytes << " bytes";
    }
    if (buffer.contents.size() * 4 > buffer.bytes) {
      return AssertionFailure() << buffer.name << " is too small for its contents";
    }
  }
  for (const PlanStep& step : plan.steps) {
    const auto* dispatch = std::get_if<DispatchStep>(&step);
    if (!dispatch) continue;
    if (dispatch->kernel >= plan.kernels.size()) return AssertionFailure() << "no such kernel";
    if (auto kept = keeps_grid(*dispatch, limits); !kept) return kept;
    if (auto kept = keeps_bindings(plan, *dispatch, limits); !kept) return kept;
  }
  return AssertionSuccess();
}

AssertionResult keeps_limits(const Plan& plan, const ScanDescription& description,
                             const Traits& traits, const PlanOptions& options) {
  if (auto kept = keeps_device_limits(plan, traits); !kept) return kept;
  if (description.n == 0) return AssertionSuccess();
  return covers_all_elements(plan, description, options);
}

AssertionResult names_a_limit(const Error& error) {
  if (error.kind != ErrorKind::unsupported) return AssertionFailure() << describe(error);
  const auto traits = nlohmann::json::parse(to_json(Traits{}));
  for (const auto& [field, value] : traits.items()) {
    // The fields of Limits, and no others, begin so.
    const bool is_limit = field.starts_with("max_") || field.starts_with("min_");
    if (is_limit && error.message.contains(field)) return AssertionSuccess();
  }
  return AssertionFailure() << "no limit is named: " << error.message;
}

std::vector<NamedTraits> synthetic_devices() {
  std::vector<NamedTraits> devices{{"default", {}}};
  const auto add = [&](std::string name, auto change) {
    Traits traits;
    change(traits);
    devices.push_back({std::move(name), traits});
  };
  for (const std::uint32_t limit : {2U, 3U, 7U}) {
    add(std::to_string(limit) + "WorkgroupsPerDimension",
        [&](Traits& t) { t.limits.max_workgroups_per_dimension = limit; });
  }
  for (const std::uint64_t limit : {1000U, 4099U, 9000U, 65537U}) {
    add(std::to_string(limit) + "BytesPerBinding",
        [&](Traits& t) { t.limits.max_storage_binding_size = limit; });
  }
  add("SmallestAlignment", [](Traits& t) {
    t.limits.min_storage_offset_alignment = 4;
    t.limits.max_storage_binding_size = 20000;
  });
  add("LittleWorkgroupMemory", [](Traits& t) { t.limits.max_workgroup_memory = 1024; });
  add("SmallWorkgroups", [](Traits& t) {
    t.limits.max_invocations_per_workgroup = 32;
    t.limits.max_workgroup_size_x = 32;
  });
  add("FourStorageBuffers", [](Traits& t) { t.limits.max_storage_buffers_per_stage = 4; });
  for (const auto& [least, most] : {std::pair{0U, 0U}, {4U, 128U}, {32U, 32U}, {64U, 32U}}) {
    add("Subgroups" + std::to_string(least) + "To" + std::to_string(most), [&](Traits& t) {
      t.subgroups = true;
      t.subgroup_min_size = least;
      t.subgroup_max_size = most;
    });
  }
  for (const auto& [workgroups, bytes] :
       {std::pair{5U, 1U << 27}, {65'535U, 150'000U}, {65'535U, 160'000U}}) {
    add("SinglePassOf" + std::to_string(workgroups) + "WorkgroupsAnd" + std::to_string(bytes) +
            "Bytes",
        [&](Traits& t) {
          t.forward_progress = t.subgroups = true;
          t.subgroup_min_size = t.subgroup_max_size = t.subgroup_width = 32;
          t.stores_components = bytes != 150'000U;
          t.limits.max_workgroups_per_dimension = workgroups;
          t.limits.max_storage_binding_size = bytes;
        });
  }
  add("HugeBuffers", [](Traits& t) {
    t.limits.max_buffer_size = std::uint64_t{1} << 50;
    t.limits.max_storage_binding_size = std::uint64_t{1} << 32;
  });
  add("SmallInEveryRespect", [](Traits& t) {
    t.limits.max_storage_binding_size = 40000;
    t.limits.max_workgroups_per_dimension = 2;
    t.limits.max_workgroup_memory = 2048;
    t.limits.max_invocations_per_workgroup = 64;
    t.limits.max_workgroup_size_x = 64;
    t.limits.max_storage_buffers_per_stage = 4;
    t.dialect = Dialect::tint;
  });
  return devices;
}

}  // namespace cumulo::test

// What an adapter offers, as a plain value: read from a device, from JSON, or written in a test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cumulo/error.hpp"

namespace cumulo {

// The WGSL compiler behind the device; the two accept different dialects.
enum class Dialect : std::uint8_t { naga, tint };

struct Limits {
  std::uint64_t max_buffer_size = 256ull << 20;           // bytes
  std::uint64_t max_storage_binding_size = 128ull << 20;  // bytes
  std::uint32_t min_storage_offset_alignment = 256;       // bytes
  std::uint32_t max_storage_buffers_per_stage = 8;
  std::uint32_t max_workgroups_per_dimension = 65535;
  std::uint32_t max_workgroup_memory = 16384;  // bytes
  std::uint32_t max_invocations_per_workgroup = 256;
  std::uint32_t max_workgroup_size_x = 256;
};

// The defaults are what WebGPU promises on every device.
struct Traits {
  Limits limits = {};
  Dialect dialect = Dialect::naga;
  bool subgroups = false;
  std::uint32_t subgroup_min_size = 0;  // 0: not known
  std::uint32_t subgroup_max_size = 0;
  std::uint32_t subgroup_width = 0;  // found by running a small kernel; 0: not known
  bool timestamps = false;
  bool shader_f16 = false;
  bool shader_int64 = false;
  bool shader_int64_atomics = false;  // loads, stores and additions of whole 64-bit words
  bool forward_progress = false;      // a workgroup that has started is known to keep running
  bool ordered_workgroups = false;    // workgroups are known to start in the order of their numbers
  // A store to one component of a vector leaves the others alone; WGSL lets it write them all.
  bool stores_components = false;
};

std::string to_json(const Traits& traits);
// Missing fields keep their defaults; an unknown field or a wrong type is an error that names it.
Result<Traits> traits_from_json(std::string_view json);

}  // namespace cumulo

#include "cumulo/traits.hpp"

#include <functional>
#include <nlohmann/json.hpp>

namespace cumulo {
namespace {

// Visits every field with its JSON name: the one list of them.
template <class T, class L, class F>
void each_field(T& traits, L& limits, F&& field) {
  field("max_buffer_size", limits.max_buffer_size);
  field("max_storage_binding_size", limits.max_storage_binding_size);
  field("min_storage_offset_alignment", limits.min_storage_offset_alignment);
  field("max_storage_buffers_per_stage", limits.max_storage_buffers_per_stage);
  field("max_workgroups_per_dimension", limits.max_workgroups_per_dimension);
  field("max_workgroup_memory", limits.max_workgroup_memory);
  field("max_invocations_per_workgroup", limits.max_invocations_per_workgroup);
  field("max_workgroup_size_x", limits.max_workgroup_size_x);
  field("subgroups", traits.subgroups);
  field("subgroup_min_size", traits.subgroup_min_size);
  field("subgroup_max_size", traits.subgroup_max_size);
  field("subgroup_width", traits.subgroup_width);
  field("timestamps", traits.timestamps);
  field("shader_f16", traits.shader_f16);
  field("shader_int64", traits.shader_int64);
  field("shader_int64_atomics", traits.shader_int64_atomics);
  field("forward_progress", traits.forward_progress);
  field("ordered_workgroups", traits.ordered_workgroups);
  field("stores_components", traits.stores_components);
}

Error fault(std::string message) {
  return {ErrorKind::bad_argument, "traits: " + std::move(message)};
}

// A value as a message may show it. Nested ones are not: they may be nested deeper than there is
// stack to write them.
std::string shown(const nlohmann::json& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  constexpr std::size_t longest = 40;
  const std::string text = value.dump();
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

template <class T>
bool read_field(const nlohmann::json& value, T& field) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!value.is_boolean()) return false;
    field = value.get<bool>();
  } else {
    if (!value.is_number_unsigned()) return false;
    const auto number = value.get<std::uint64_t>();
    if (number > std::numeric_limits<T>::max()) return false;
    field = static_cast<T>(number);
  }
  return true;
}

}  // namespace

std::string to_json(const Traits& traits) {
  nlohmann::ordered_json json;
  each_field(traits, traits.limits, [&](const char* key, auto& field) { json[key] = field; });
  json["dialect"] = traits.dialect == Dialect::naga ? "naga" : "tint";
  return json.dump(2);
}

Result<Traits> traits_from_json(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) return std::unexpected{fault("not JSON")};
  if (!json.is_object()) return std::unexpected{fault("not a JSON object")};

  Traits traits;
  for (const auto& [key, value] : json.items()) {
    bool known = false;
    bool fits = true;
    if (key == "dialect") {
      known = true;
      fits = value.is_string() && (value == "naga" || value == "tint");
      traits.dialect = value == "tint" ? Dialect::tint : Dialect::naga;
    }
    each_field(traits, traits.limits,
               [&, &k = key, &v = value](const char* field_key, auto& field) {
                 if (k != field_key) return;
                 known = true;
                 fits = read_field(v, field);
               });
    if (!known) return std::unexpected{fault("unknown field '" + key + "'")};
    if (!fits) {
      return std::unexpected{fault("field '" + key + "' cannot be " + shown(value))};
    }
  }
  const std::uint32_t alignment = traits.limits.min_storage_offset_alignment;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment < 4) {
    return std::unexpected{
        fault("min_storage_offset_alignment must be a power of two of at least 4")};
  }
  return traits;
}

}  // namespace cumulo

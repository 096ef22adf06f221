#include "gpu/adapters.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "plan/vendors.hpp"

namespace cumulo::gpu {
namespace {

struct Feature {
  WGPUFeatureName name;
  const char* text;
};

// Native names are outside the standard enumeration.
constexpr auto native(WGPUNativeFeature feature) { return static_cast<WGPUFeatureName>(feature); }

constexpr std::array features{
    Feature{WGPUFeatureName_TimestampQuery, "timestamp-query"},
    Feature{native(WGPUNativeFeature_TimestampQueryInsideEncoders), "timestamps-inside-encoders"},
    Feature{native(WGPUNativeFeature_Subgroup), "subgroups"},
    Feature{WGPUFeatureName_ShaderF16, "shader-f16"},
    Feature{native(WGPUNativeFeature_ShaderInt64), "shader-int64"},
    Feature{native(WGPUNativeFeature_ShaderInt64AtomicAllOps), "shader-int64-atomics"}};

// Those of an adapter or a device: has(handle, feature) is WebGPU's own query.
template <class Handle, class Has>
std::vector<Feature> offered(Handle handle, Has&& has_feature) {
  std::vector<Feature> found;
  for (const Feature& feature : features) {
    if (has_feature(handle, feature.name) != 0U) found.push_back(feature);
  }
  return found;
}

bool has(const std::vector<Feature>& found, WGPUFeatureName name) {
  return std::ranges::any_of(found, [&](const Feature& f) { return f.name == name; });
}

const char* api_name(WGPUBackendType backend) {
  switch (backend) {
    case WGPUBackendType_Vulkan: return "Vulkan";
    case WGPUBackendType_Metal: return "Metal";
    case WGPUBackendType_D3D12: return "D3D12";
    case WGPUBackendType_OpenGL:
    case WGPUBackendType_OpenGLES: return "OpenGL";
    default: return "unknown";
  }
}

DeviceKind kind_of(WGPUAdapterType type) {
  switch (type) {
    case WGPUAdapterType_DiscreteGPU: return DeviceKind::discrete;
    case WGPUAdapterType_IntegratedGPU: return DeviceKind::integrated;
    // A virtual or unnamed adapter is hardware as far as anyone can tell.
    case WGPUAdapterType_Unknown: return DeviceKind::integrated;
    default: return DeviceKind::software;
  }
}

Traits traits_of(const WGPULimits& limits, const WGPUAdapterInfo& info,
                 const std::vector<Feature>& found) {
  Traits traits;
  traits.limits = {.max_buffer_size = limits.maxBufferSize,
                   .max_storage_binding_size = limits.maxStorageBufferBindingSize,
                   .min_storage_offset_alignment = limits.minStorageBufferOffsetAlignment,
                   .max_storage_buffers_per_stage = limits.maxStorageBuffersPerShaderStage,
                   .max_workgroups_per_dimension = limits.maxComputeWorkgroupsPerDimension,
                   .max_workgroup_memory = limits.maxComputeWorkgroupStorageSize,
                   .max_invocations_per_workgroup = limits.maxComputeInvocationsPerWorkgroup,
                   .max_workgroup_size_x = limits.maxComputeWorkgroupSizeX};
  traits.dialect = Dialect::naga;
  traits.subgroups = has(found, native(WGPUNativeFeature_Subgroup));
  traits.subgroup_min_size = info.subgroupMinSize;
  traits.subgroup_max_size = info.subgroupMaxSize;
  traits.timestamps = has(found, WGPUFeatureName_TimestampQuery) &&
                      has(found, native(WGPUNativeFeature_TimestampQueryInsideEncoders));
  traits.shader_f16 = has(found, WGPUFeatureName_ShaderF16);
  traits.shader_int64 = has(found, native(WGPUNativeFeature_ShaderInt64));
  traits.shader_int64_atomics =
      traits.shader_int64 && has(found, native(WGPUNativeFeature_ShaderInt64AtomicAllOps));
  plan::set_progress(traits, plan::vendor_of(info.vendorID),
                     info.adapterType == WGPUAdapterType_CPU);
  // SPIR-V and HLSL say so; Metal's compiler loads, changes and stores the whole vector.
  traits.stores_components =
      info.backendType == WGPUBackendType_Vulkan || info.backendType == WGPUBackendType_D3D12;
  return traits;
}

// What an adapter says of itself, freed with this.
struct AdapterInfo {
  explicit AdapterInfo(WGPUAdapter adapter) { wgpuAdapterGetInfo(adapter, &info); }
  ~AdapterInfo() { wgpuAdapterInfoFreeMembers(info); }
  AdapterInfo(const AdapterInfo&) = delete;
  AdapterInfo& operator=(const AdapterInfo&) = delete;

  WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
};

AdapterReport report_of(const WGPUAdapterInfo& info, const WGPULimits& limits,
                        const std::vector<Feature>& found) {
  AdapterReport report{.info = {.name = text_of(info.device),
                                .backend = Backend::webgpu,
                                .kind = kind_of(info.adapterType),
                                .driver = text_of(info.description),
                                .api = api_name(info.backendType)},
                       .traits = traits_of(limits, info, found),
                       .features = {},
                       .refused = std::nullopt};
  for (const Feature& feature : found) report.features.emplace_back(feature.text);
  report.refused = refusal(report.traits.limits);
  return report;
}

}  // namespace

std::optional<std::string> refusal(const Limits& limits) {
  const Limits least{};
  const auto below = [](const char* limit, std::uint64_t has, std::uint64_t wanted) {
    return std::string(limit) + " is " + std::to_string(has) + ", at least " +
           std::to_string(wanted) + " is needed";
  };
  if (limits.max_storage_buffers_per_stage < 4) {
    return below("max_storage_buffers_per_stage", limits.max_storage_buffers_per_stage, 4);
  }
  if (limits.max_workgroup_memory < least.max_workgroup_memory) {
    return below("max_workgroup_memory", limits.max_workgroup_memory, least.max_workgroup_memory);
  }
  if (limits.max_invocations_per_workgroup < 128) {
    return below("max_invocations_per_workgroup", limits.max_invocations_per_workgroup, 128);
  }
  return std::nullopt;
}

AdapterReport describe(WGPUAdapter adapter) {
  const AdapterInfo says(adapter);
  WGPULimits limits = WGPU_LIMITS_INIT;
  wgpuAdapterGetLimits(adapter, &limits);
  return report_of(says.info, limits, offered(adapter, wgpuAdapterHasFeature));
}

AdapterReport describe(WGPUDevice device, WGPUAdapter adapter) {
  WGPULimits limits = WGPU_LIMITS_INIT;
  wgpuDeviceGetLimits(device, &limits);
  const std::vector<Feature> found = offered(device, wgpuDeviceHasFeature);
  if (adapter != nullptr) return report_of(AdapterInfo(adapter).info, limits, found);
  AdapterReport report = report_of(WGPU_ADAPTER_INFO_INIT, limits, found);
  report.info.name = "adopted device";
  return report;
}

Adapters find_adapters() {
  // The library's own log would mix with a program's output; errors come through callbacks.
  static std::once_flag quiet;
  std::call_once(quiet, [] { wgpuSetLogLevel(WGPULogLevel_Off); });

  WGPUInstanceExtras extras{};
  extras.chain.sType = static_cast<WGPUSType>(WGPUSType_InstanceExtras);
  extras.backends = WGPUInstanceBackend_Primary;
  WGPUInstanceDescriptor descriptor = WGPU_INSTANCE_DESCRIPTOR_INIT;
  descriptor.nextInChain = &extras.chain;

  Adapters adapters{Instance(wgpuCreateInstance(&descriptor)), {}};
  if (!adapters.instance) return adapters;
  const std::size_t count =
      wgpuInstanceEnumerateAdapters(adapters.instance.get(), nullptr, nullptr);
  std::vector<WGPUAdapter> handles(count);
  wgpuInstanceEnumerateAdapters(adapters.instance.get(), nullptr, handles.data());
  for (WGPUAdapter handle : handles) adapters.found.push_back({Adapter(handle), describe(handle)});
  return adapters;
}

std::vector<WGPUFeatureName> wanted_features(WGPUAdapter adapter) {
  std::vector<WGPUFeatureName> names;
  for (const Feature& feature : offered(adapter, wgpuAdapterHasFeature))
    names.push_back(feature.name);
  return names;
}

}  // namespace cumulo::gpu

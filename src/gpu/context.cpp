#include "gpu/context.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

namespace cumulo::gpu {
namespace {

// Host memory moved at once; keeps the staging memory of large transfers small.
constexpr std::uint64_t transfer_chunk = std::uint64_t{64} << 20;

constexpr std::uint64_t round_up_4(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

// A device that was destroyed, and an adopted one whose loss only the program is told of, show as a
// fault of every call.
ErrorKind kind_of(WGPUErrorType type, std::string_view message) {
  if (message.contains("device is lost")) return ErrorKind::device_lost;
  return type == WGPUErrorType_OutOfMemory ? ErrorKind::out_of_memory : ErrorKind::validation;
}

void record_error(ErrorLog& log, WGPUErrorType type, WGPUStringView message) {
  std::string text = text_of(message);
  const ErrorKind kind = kind_of(type, text);
  log.record(kind, std::move(text));
}

void on_error(WGPUDevice const*, WGPUErrorType type, WGPUStringView message, void* log, void*) {
  record_error(*static_cast<ErrorLog*>(log), type, message);
}

void on_lost(WGPUDevice const*, WGPUDeviceLostReason reason, WGPUStringView message, void* log,
             void*) {
  // Destroying the device ourselves, at the end, is no loss.
  if (reason == WGPUDeviceLostReason_Destroyed ||
      reason == WGPUDeviceLostReason_CallbackCancelled) {
    return;
  }
  static_cast<ErrorLog*>(log)->record(ErrorKind::device_lost, text_of(message));
}

struct DeviceRequest {
  WGPUDevice device = nullptr;
  std::string message;
};

}  // namespace

void ErrorLog::record(ErrorKind kind, std::string message) {
  const std::lock_guard lock(mutex_);
  if (kind == ErrorKind::device_lost) {
    lost_ = true;
    lost_message_ = message;
  }
  if (!first_) first_ = Error{kind, std::move(message)};
}

std::optional<Error> ErrorLog::take() {
  const std::lock_guard lock(mutex_);
  if (lost_) return Error{ErrorKind::device_lost, "the device was lost: " + lost_message_};
  return std::exchange(first_, std::nullopt);
}

bool ErrorLog::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

Result<std::unique_ptr<Context>> Context::open(Adapters adapters, std::size_t index) {
  FoundAdapter& chosen = adapters.found[index];
  if (chosen.report.refused) {
    return std::unexpected{Error{ErrorKind::no_device, *chosen.report.refused}};
  }
  std::unique_ptr<Context> context(new Context);
  context->info_ = chosen.report.info;
  context->traits_ = chosen.report.traits;

  const std::vector<WGPUFeatureName> features = wanted_features(chosen.handle.get());
  WGPULimits limits = WGPU_LIMITS_INIT;
  wgpuAdapterGetLimits(chosen.handle.get(), &limits);
  WGPUDeviceDescriptor descriptor = WGPU_DEVICE_DESCRIPTOR_INIT;
  descriptor.label = view("cumulo");
  descriptor.requiredFeatures = features.data();
  descriptor.requiredFeatureCount = features.size();
  descriptor.requiredLimits = &limits;
  descriptor.uncapturedErrorCallbackInfo.callback = on_error;
  descriptor.uncapturedErrorCallbackInfo.userdata1 = context->errors_.get();
  descriptor.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowSpontaneous;
  descriptor.deviceLostCallbackInfo.callback = on_lost;
  descriptor.deviceLostCallbackInfo.userdata1 = context->errors_.get();

  DeviceRequest request;
  WGPURequestDeviceCallbackInfo callback = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.userdata1 = &request;
  callback.callback = [](WGPURequestDeviceStatus, WGPUDevice device, WGPUStringView message,
                         void* out,
                         void*) { *static_cast<DeviceRequest*>(out) = {device, text_of(message)}; };
  wgpuAdapterRequestDevice(chosen.handle.get(), &descriptor, callback);
  if (request.device == nullptr) {
    return std::unexpected{Error{ErrorKind::no_device, "it refused to open: " + request.message}};
  }

  context->device_ = NativeDevice(request.device);
  context->queue_ = Queue(wgpuDeviceGetQueue(request.device));
  context->adapter_ = std::move(chosen.handle);
  context->instance_ = std::move(adapters.instance);
  if (auto probed = context->probe_subgroup_width(); !probed) {
    return std::unexpected{std::move(probed.error())};
  }
  return context;
}

Result<std::unique_ptr<Context>> Context::adopt(WGPUDevice device, WGPUQueue queue,
                                                WGPUAdapter adapter) {
  AdapterReport report = describe(device, adapter);
  if (report.refused) return std::unexpected{Error{ErrorKind::unsupported, *report.refused}};
  std::unique_ptr<Context> context(new Context);
  context->adopted_ = true;
  context->info_ = std::move(report.info);
  context->traits_ = report.traits;
  wgpuDeviceAddRef(device);
  context->device_ = NativeDevice(device);
  if (queue != nullptr) wgpuQueueAddRef(queue);
  context->queue_ = Queue(queue != nullptr ? queue : wgpuDeviceGetQueue(device));
  if (auto probed = context->probe_subgroup_width(); !probed) {
    return std::unexpected{std::move(probed.error())};
  }
  return context;
}

Context::~Context() {
  pipelines_.clear();
  // The last release of a device and its queue waits for their work, and this work may never end.
  if (stalled_) {
    queue_.leak();
    device_.leak();
  }
  // Work in flight refers to buffers that are about to go. WebGPU keeps them for as long; but our
  // own device goes as well. On a program's device we never wait unasked.
  if (device_ && !adopted_ && !errors_->lost()) wgpuDevicePoll(device_.get(), 1U, nullptr);
  queue_ = {};
  device_ = {};
}

Context::Watch::Watch(Context& context) : context_(context) {
  if (context_.adopted_ && context_.watches_++ == 0) context_.push_scopes();
}

Context::Watch::~Watch() {
  if (context_.adopted_ && --context_.watches_ == 0) context_.pop_scopes();
}

// wgpu-native knows these two kinds; a scope takes the first error of its kind.
void Context::push_scopes() {
  wgpuDevicePushErrorScope(device_.get(), WGPUErrorFilter_Validation);
  wgpuDevicePushErrorScope(device_.get(), WGPUErrorFilter_OutOfMemory);
}

void Context::pop_scopes() {
  // wgpu-native answers before the call returns.
  WGPUPopErrorScopeCallbackInfo callback = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.userdata1 = errors_.get();
  callback.callback = [](WGPUPopErrorScopeStatus, WGPUErrorType type, WGPUStringView message,
                         void* log, void*) {
    if (type == WGPUErrorType_NoError) return;
    record_error(*static_cast<ErrorLog*>(log), type, message);
  };
  wgpuDevicePopErrorScope(device_.get(), callback);
  wgpuDevicePopErrorScope(device_.get(), callback);
}

Result<void> Context::checked() {
  if (watches_ > 0) {
    pop_scopes();
    push_scopes();
  }
  if (auto error = errors_->take()) return std::unexpected{std::move(*error)};
  return {};
}

Result<NativeBuffer> Context::create_buffer(std::uint64_t bytes, std::string_view label,
                                            WGPUBufferUsage more) {
  const Watch watch(*this);
  const std::uint64_t size = std::max<std::uint64_t>(4, round_up_4(bytes));
  if (size > traits_.limits.max_buffer_size) {
    return std::unexpected{Error{ErrorKind::unsupported,
                                 "buffer '" + std::string(label) + "' of " + std::to_string(size) +
                                     " bytes is larger than this device allows (max_buffer_size " +
                                     std::to_string(traits_.limits.max_buffer_size) + ")"}};
  }
  WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
  descriptor.label = view(label);
  descriptor.size = size;
  descriptor.usage =
      WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst | more;
  NativeBuffer buffer(wgpuDeviceCreateBuffer(device_.get(), &descriptor));
  ++created_.buffers;
  if (auto ok = checked(); !ok) {
    ok.error().message = "buffer '" + std::string(label) + "' of " + std::to_string(size) +
                         " bytes: " + ok.error().message;
    return std::unexpected{std::move(ok.error())};
  }
  return buffer;
}

Result<void> Context::write(WGPUBuffer buffer, std::uint64_t offset,
                            std::span<const std::byte> data) {
  const Watch watch(*this);
  for (std::uint64_t at = 0; at < data.size(); at += transfer_chunk) {
    const auto part = data.subspan(at, std::min<std::uint64_t>(transfer_chunk, data.size() - at));
    const std::uint64_t whole = part.size() / 4 * 4;
    if (whole > 0) {
      wgpuQueueWriteBuffer(queue_.get(), buffer, offset + at, part.data(), whole);
    }
    if (whole < part.size()) {
      // The last 1 to 3 bytes travel in a padded word.
      std::array<std::byte, 4> last{};
      std::memcpy(last.data(), part.data() + whole, part.size() - whole);
      wgpuQueueWriteBuffer(queue_.get(), buffer, offset + at + whole, last.data(), last.size());
    }
    // Flushes, so that the staging memory of large transfers can be used again.
    if (data.size() > transfer_chunk) {
      wgpuQueueSubmit(queue_.get(), 0, nullptr);
      if (auto done = wait(); !done) return done;
    }
  }
  return checked();
}

Result<void> Context::read(WGPUBuffer buffer, std::uint64_t offset, std::span<std::byte> out) {
  ++reads_;
  const Watch watch(*this);
  if (out.empty()) return wait();
  WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
  descriptor.label = view("read-back");
  descriptor.size = round_up_4(std::min<std::uint64_t>(transfer_chunk, out.size()));
  descriptor.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst;
  const NativeBuffer staging(wgpuDeviceCreateBuffer(device_.get(), &descriptor));
  if (auto ok = checked(); !ok) return ok;

  struct Map {
    bool done = false;
    bool ok = false;
    std::string message;
  };
  for (std::uint64_t at = 0; at < out.size(); at += transfer_chunk) {
    const auto part = out.subspan(at, std::min<std::uint64_t>(transfer_chunk, out.size() - at));
    const std::uint64_t bytes = round_up_4(part.size());
    auto encoder = create_encoder("read-back");
    if (!encoder) return std::unexpected{std::move(encoder.error())};
    wgpuCommandEncoderCopyBufferToBuffer(encoder->get(), buffer, offset + at, staging.get(), 0,
                                         bytes);
    if (auto ok = submit(*encoder); !ok) return ok;

    // On a stall the callback may still come later: the record must outlive this call.
    auto map = std::make_shared<Map>();
    WGPUBufferMapCallbackInfo callback = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
    callback.mode = WGPUCallbackMode_AllowSpontaneous;
    callback.userdata1 = new std::shared_ptr<Map>(map);
    callback.callback = [](WGPUMapAsyncStatus status, WGPUStringView message, void* data, void*) {
      const std::unique_ptr<std::shared_ptr<Map>> shared(static_cast<std::shared_ptr<Map>*>(data));
      (*shared)->ok = status == WGPUMapAsyncStatus_Success;
      (*shared)->message = text_of(message);
      (*shared)->done = true;
    };
    wgpuBufferMapAsync(staging.get(), WGPUMapMode_Read, 0, bytes, callback);
    if (auto ok = poll_until(map->done, "a read-back"); !ok) return ok;
    if (!map->ok) {
      if (auto ok = checked(); !ok) return ok;
      return std::unexpected{Error{ErrorKind::device_lost, "a read-back failed: " + map->message}};
    }
    std::memcpy(part.data(), wgpuBufferGetConstMappedRange(staging.get(), 0, bytes), part.size());
    wgpuBufferUnmap(staging.get());
  }
  return checked();
}

Result<CommandEncoder> Context::create_encoder(std::string_view label) {
  const Watch watch(*this);
  WGPUCommandEncoderDescriptor descriptor = WGPU_COMMAND_ENCODER_DESCRIPTOR_INIT;
  descriptor.label = view(label);
  CommandEncoder encoder(wgpuDeviceCreateCommandEncoder(device_.get(), &descriptor));
  if (auto ok = checked(); !ok) return std::unexpected{std::move(ok.error())};
  return encoder;
}

Result<void> Context::submit(const CommandEncoder& encoder) {
  const Watch watch(*this);
  const CommandBuffer commands(wgpuCommandEncoderFinish(encoder.get(), nullptr));
  // An invalid command buffer must not be submitted: the error is known already.
  if (auto ok = checked(); !ok) return ok;
  WGPUCommandBuffer handle = commands.get();
  wgpuQueueSubmit(queue_.get(), 1, &handle);
  return checked();
}

Result<void> Context::poll_until(const bool& done, std::string_view what) {
  const auto start = std::chrono::steady_clock::now();
  auto pause = std::chrono::microseconds(0);
  for (;;) {
    wgpuDevicePoll(device_.get(), 0U, nullptr);
    if (done) return {};
    if (errors_->lost()) return checked();
    const auto waited = std::chrono::steady_clock::now() - start;
    if (waited > patience) {
      stalled_ = true;
      return std::unexpected{Error{
          ErrorKind::stalled,
          std::string(what) + " did not finish within " + std::to_string(patience.count()) + " s"}};
    }
    // Busy at first, for short work; then the software adapters need the processor.
    if (waited > std::chrono::microseconds(200)) {
      pause = std::min(pause * 2 + std::chrono::microseconds(20), std::chrono::microseconds(1000));
      std::this_thread::sleep_for(pause);
    }
  }
}

Result<void> Context::wait() {
  const Watch watch(*this);
  auto done = std::make_shared<bool>(false);
  WGPUQueueWorkDoneCallbackInfo callback = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.userdata1 = new std::shared_ptr<bool>(done);
  callback.callback = [](WGPUQueueWorkDoneStatus, WGPUStringView, void* data, void*) {
    const std::unique_ptr<std::shared_ptr<bool>> shared(static_cast<std::shared_ptr<bool>*>(data));
    **shared = true;
  };
  wgpuQueueOnSubmittedWorkDone(queue_.get(), callback);
  if (auto ok = poll_until(*done, "the submitted work"); !ok) return ok;
  // A device that is gone calls its work done: only a thing made of it shows that it is gone.
  auto encoder = create_encoder("wait");
  if (!encoder) return std::unexpected{std::move(encoder.error())};
  const CommandBuffer nothing(wgpuCommandEncoderFinish(encoder->get(), nullptr));
  return checked();
}

Result<const Pipeline*> Context::pipeline(const PlanKernel& kernel) {
  const Watch watch(*this);
  if (const auto found = pipelines_.find(kernel.wgsl); found != pipelines_.end()) {
    return &found->second;
  }
  WGPUShaderSourceWGSL source = WGPU_SHADER_SOURCE_WGSL_INIT;
  source.code = view(kernel.wgsl);
  WGPUShaderModuleDescriptor module_descriptor = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
  module_descriptor.label = view(kernel.name);
  module_descriptor.nextInChain = &source.chain;
  const ShaderModule module(wgpuDeviceCreateShaderModule(device_.get(), &module_descriptor));
  auto ok = checked();
  Pipeline made;
  if (ok) {
    WGPUComputePipelineDescriptor descriptor = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    descriptor.label = view(kernel.name);
    descriptor.compute.module = module.get();
    descriptor.compute.entryPoint = view("main");
    made.pipeline = ComputePipeline(wgpuDeviceCreateComputePipeline(device_.get(), &descriptor));
    ++created_.pipelines;
    ok = checked();
  }
  if (!ok) {
    ok.error().message = "kernel " + kernel.name + ": " + ok.error().message;
    return std::unexpected{std::move(ok.error())};
  }
  made.layout = BindGroupLayout(wgpuComputePipelineGetBindGroupLayout(made.pipeline.get(), 0));
  return &pipelines_.emplace(kernel.wgsl, std::move(made)).first->second;
}

BindGroup Context::create_bind_group(WGPUBindGroupLayout layout,
                                     std::span<const WGPUBindGroupEntry> entries,
                                     std::string_view label) {
  const Watch watch(*this);
  WGPUBindGroupDescriptor descriptor = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
  descriptor.label = view(label);
  descriptor.layout = layout;
  descriptor.entryCount = entries.size();
  descriptor.entries = entries.data();
  ++created_.bind_groups;
  return BindGroup(wgpuDeviceCreateBindGroup(device_.get(), &descriptor));
}

Result<double> Context::time_on_device(
    std::uint32_t runs, const std::function<Result<void>(WGPUCommandEncoder)>& record) {
  const Watch watch(*this);
  WGPUQuerySetDescriptor descriptor = WGPU_QUERY_SET_DESCRIPTOR_INIT;
  descriptor.type = WGPUQueryType_Timestamp;
  descriptor.count = 2;
  const QuerySet queries(wgpuDeviceCreateQuerySet(device_.get(), &descriptor));
  auto stamps = create_buffer(16, "timestamps", WGPUBufferUsage_QueryResolve);
  if (!stamps) return std::unexpected{std::move(stamps.error())};

  const double period_ns = wgpuQueueGetTimestampPeriod(queue_.get());
  std::vector<double> times;
  // The first run warms up. A stamp that runs backwards is dropped and the run repeated.
  for (std::uint32_t run = 0; times.size() < runs && run < 4 * runs + 4; ++run) {
    auto encoder = create_encoder("timed run");
    if (!encoder) return std::unexpected{std::move(encoder.error())};
    wgpuCommandEncoderWriteTimestamp(encoder->get(), queries.get(), 0);
    if (auto ok = record(encoder->get()); !ok) return std::unexpected{std::move(ok.error())};
    wgpuCommandEncoderWriteTimestamp(encoder->get(), queries.get(), 1);
    wgpuCommandEncoderResolveQuerySet(encoder->get(), queries.get(), 0, 2, stamps->get(), 0);
    if (auto ok = submit(*encoder); !ok) return std::unexpected{std::move(ok.error())};
    std::array<std::uint64_t, 2> ticks{};
    if (auto ok = read(stamps->get(), 0, std::as_writable_bytes(std::span{ticks})); !ok) {
      return std::unexpected{std::move(ok.error())};
    }
    if (run > 0 && ticks[1] > ticks[0]) {
      times.push_back(static_cast<double>(ticks[1] - ticks[0]) * period_ns / 1e6);
    }
  }
  if (times.empty()) {
    return std::unexpected{Error{ErrorKind::unsupported, "the device's timestamps do not advance"}};
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

Result<void> Context::probe_subgroup_width() {
  const Watch watch(*this);
  if (!traits_.subgroups) return {};
  const PlanKernel kernel{
      "subgroup width",
      "@group(0) @binding(0) var<storage, read_write> width: array<u32>;\n"
      "@compute @workgroup_size(128) fn main(@builtin(subgroup_size) size: u32,\n"
      "    @builtin(local_invocation_index) i: u32) { if (i == 0u) { width[0] = size; } }\n",
      128};
  auto made = pipeline(kernel);
  auto buffer = create_buffer(4, "subgroup width");
  auto encoder = create_encoder("probe");
  if (!made) return std::unexpected{std::move(made.error())};
  if (!buffer) return std::unexpected{std::move(buffer.error())};
  if (!encoder) return std::unexpected{std::move(encoder.error())};

  WGPUBindGroupEntry entry = WGPU_BIND_GROUP_ENTRY_INIT;
  entry.buffer = buffer->get();
  entry.size = 4;
  const BindGroup group = create_bind_group((*made)->layout.get(), {&entry, 1}, kernel.name);
  {
    const ComputePass pass(wgpuCommandEncoderBeginComputePass(encoder->get(), nullptr));
    wgpuComputePassEncoderSetPipeline(pass.get(), (*made)->pipeline.get());
    wgpuComputePassEncoderSetBindGroup(pass.get(), 0, group.get(), 0, nullptr);
    wgpuComputePassEncoderDispatchWorkgroups(pass.get(), 1, 1, 1);
    wgpuComputePassEncoderEnd(pass.get());
  }
  if (auto ok = submit(*encoder); !ok) return ok;
  return read(buffer->get(), 0, std::as_writable_bytes(std::span{&traits_.subgroup_width, 1}));
}

}  // namespace cumulo::gpu

// An open device: its queue, its pipelines, and the errors that its callbacks recorded.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cumulo/device.hpp"
#include "cumulo/plan.hpp"
#include "gpu/adapters.hpp"
#include "gpu/handle.hpp"

namespace cumulo::gpu {

// Callbacks only record here; the foreground call that follows returns the first error.
class ErrorLog {
 public:
  void record(ErrorKind kind, std::string message);
  std::optional<Error> take();
  bool lost() const;

 private:
  mutable std::mutex mutex_;
  std::optional<Error> first_;
  bool lost_ = false;
  std::string lost_message_;
};

struct Pipeline {
  ComputePipeline pipeline;
  BindGroupLayout layout;
};

class Context {
 public:
  // Opens adapter `index` of `adapters`, asking for all its limits and the wanted features.
  static Result<std::unique_ptr<Context>> open(Adapters adapters, std::size_t index);
  // A program's own device and queue; holds references to both, and leaves its callbacks alone.
  static Result<std::unique_ptr<Context>> adopt(WGPUDevice device, WGPUQueue queue,
                                                WGPUAdapter adapter);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const DeviceInfo& info() const { return info_; }
  const Traits& traits() const { return traits_; }
  WGPUDevice device() const { return device_.get(); }
  WGPUQueue queue() const { return queue_.get(); }

  // Storage buffers, zero-filled, a multiple of 4 bytes and at least 4.
  Result<NativeBuffer> create_buffer(std::uint64_t bytes, std::string_view label,
                                     WGPUBufferUsage more = WGPUBufferUsage_None);
  Result<void> write(WGPUBuffer buffer, std::uint64_t offset, std::span<const std::byte> data);
  Result<void> read(WGPUBuffer buffer, std::uint64_t offset, std::span<std::byte> out);
  // How often read() was called.
  std::uint64_t reads() const { return reads_; }

  Result<CommandEncoder> create_encoder(std::string_view label);
  Result<void> submit(const CommandEncoder& encoder);
  // Waits until all submitted work is done.
  Result<void> wait();
  // The first error recorded since the last call, if any.
  Result<void> check() { return checked(); }

  // While one lives, the errors of an adopted device come to this context and not to the program's
  // callback: they are then ours. Every function that calls WebGPU holds one. They nest.
  class Watch {
   public:
    explicit Watch(Context& context);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Context& context_;
  };

  // WebGPU objects made so far: recording makes none of them.
  struct Created {
    std::uint64_t buffers = 0;
    std::uint64_t pipelines = 0;
    std::uint64_t bind_groups = 0;
    bool operator==(const Created&) const = default;
  };
  const Created& created() const { return created_; }

  // label: shown by WebGPU's tools. The errors of a bind group show at the next check().
  BindGroup create_bind_group(WGPUBindGroupLayout layout,
                              std::span<const WGPUBindGroupEntry> entries, std::string_view label);

  // The pipeline of a kernel, compiled once for each text.
  Result<const Pipeline*> pipeline(const PlanKernel& kernel);

  // Times commands by the device's clock: median of `runs`. Needs traits().timestamps.
  Result<double> time_on_device(std::uint32_t runs,
                                const std::function<Result<void>(WGPUCommandEncoder)>& record);

  // The longest wait for submitted work, before the device is called stalled.
  std::chrono::seconds patience{120};

 private:
  Context() = default;
  Result<void> checked();
  Result<void> poll_until(const bool& done, std::string_view what);
  Result<void> probe_subgroup_width();
  void push_scopes();
  void pop_scopes();

  bool adopted_ = false;
  bool stalled_ = false;  // a wait ran out
  int watches_ = 0;
  Instance instance_;
  Adapter adapter_;
  NativeDevice device_;
  Queue queue_;
  std::unique_ptr<ErrorLog> errors_ = std::make_unique<ErrorLog>();
  DeviceInfo info_;
  Traits traits_;
  std::unordered_map<std::string, Pipeline> pipelines_;
  Created created_;
  std::uint64_t reads_ = 0;
};

}  // namespace cumulo::gpu

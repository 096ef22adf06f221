// Devices: a WebGPU adapter opened for work, or the CPU backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cumulo/error.hpp"
#include "cumulo/traits.hpp"

namespace cumulo {

enum class Backend : std::uint8_t { cpu, webgpu };
enum class DeviceKind : std::uint8_t { cpu, software, integrated, discrete };

std::string_view name(Backend backend);
std::string_view name(DeviceKind kind);

struct DeviceInfo {
  std::string name;
  Backend backend = Backend::cpu;
  DeviceKind kind = DeviceKind::cpu;
  std::string driver;  // "" where unknown
  std::string api;     // "Vulkan", "Metal", "D3D12", "OpenGL"; "threads" for the CPU backend
};

// One adapter as found, usable or not.
struct AdapterReport {
  DeviceInfo info;
  Traits traits;
  std::vector<std::string> features;
  std::optional<std::string> refused;  // the reason it cannot be used
};

// All adapters, in the order of their indices. Empty where there is no driver or loader.
std::vector<AdapterReport> list_adapters();

enum class ClockKind : std::uint8_t { device, wall };
std::string_view name(ClockKind clock);

struct Timing {
  double median_ms = 0;
  std::uint32_t runs = 0;
  ClockKind clock = ClockKind::wall;
};

// Bytes on a device. Move-only; must not outlive its device. A size of 0 is allowed.
class Buffer {
 public:
  Buffer(Buffer&&) noexcept;
  Buffer& operator=(Buffer&&) noexcept;
  ~Buffer();

  std::uint64_t bytes() const;

  struct Impl;
  explicit Buffer(std::unique_ptr<Impl> impl);
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Move-only; use from one thread at a time (two devices in two threads are fine).
class Device {
 public:
  // The CPU backend; always there.
  static Device cpu();

  // request: "auto" (a hardware GPU, else the CPU backend), "cpu", "gpu" (a hardware GPU), an index
  // of list_adapters(), or part of an adapter's name in any case (also a number that is no index).
  // Software adapters only when named.
  // no_device: nothing fits; the reasons name every adapter and why not.
  static Result<Device> open(std::string_view request = "auto");

  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;
  ~Device();

  const DeviceInfo& info() const;
  const Traits& traits() const;  // defaults on the CPU backend

  // A zero-filled buffer of at least `bytes`, rounded up to a multiple of 4.
  Result<Buffer> allocate(std::uint64_t bytes, std::string_view label = "buffer");
  Result<Buffer> upload(std::span<const std::byte> data, std::string_view label = "buffer");
  // Writes after the work submitted so far; offset and size in bytes, multiples of 4.
  Result<void> write(const Buffer& buffer, std::uint64_t offset, std::span<const std::byte> data);
  // Waits for the work submitted so far and copies out.
  Result<void> read(const Buffer& buffer, std::uint64_t offset, std::span<std::byte> out);
  // Waits for the work submitted so far; an error that any of it caused is returned here.
  Result<void> wait();

  struct Impl;
  explicit Device(std::unique_ptr<Impl> impl);
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace cumulo

// The public Device and Buffer over the two backends, and the choice of an adapter.
#include "cumulo/device.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <thread>
#include <utility>

#include "api/impl.hpp"

namespace cumulo {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::optional<std::size_t> parse_index(std::string_view text) {
  std::size_t index = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return index;
}

std::string title(std::size_t index, const gpu::FoundAdapter& adapter) {
  const DeviceInfo& info = adapter.report.info;
  return "adapter " + std::to_string(index) + ", " + info.name + " (" + info.api + ", " +
         std::string(name(info.kind)) + ")";
}

bool is_hardware(const gpu::FoundAdapter& adapter) {
  return adapter.report.info.kind != DeviceKind::software;
}

// The adapters to try for a request, best first; each one passed over gets its reason. A number is
// an index if there is such an adapter, else part of a name: "4090".
std::vector<std::size_t> candidates(const gpu::Adapters& adapters, std::string_view request,
                                    std::vector<std::string>& reasons) {
  const bool by_kind = request == "auto" || request == "gpu";
  auto index = parse_index(request);
  if (index && *index >= adapters.found.size()) index.reset();
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < adapters.found.size(); ++i) {
    const gpu::FoundAdapter& adapter = adapters.found[i];
    const bool fits = by_kind ? is_hardware(adapter)
                      : index ? *index == i
                              : lower(adapter.report.info.name).contains(lower(request));
    if (fits) {
      chosen.push_back(i);
    } else {
      reasons.push_back(title(i, adapter) + ": " +
                        (by_kind ? "a software adapter, used only when named"
                                 : "not '" + std::string(request) + "'"));
    }
  }
  // Discrete ones first, otherwise as they were found. Not by stable_sort: under Clang, that of
  // libstdc++ 12 warns of its own use of a deprecated function.
  std::ranges::sort(chosen, {}, [&](std::size_t i) {
    return std::pair{adapters.found[i].report.info.kind != DeviceKind::discrete, i};
  });
  return chosen;
}

Result<std::unique_ptr<gpu::Context>> open_adapter(std::string_view request) {
  gpu::Adapters adapters = gpu::find_adapters();
  std::vector<std::string> reasons;
  if (adapters.found.empty()) {
    reasons.emplace_back("no adapter was found: no Vulkan driver, or no Vulkan loader");
  }
  for (const std::size_t index : candidates(adapters, request, reasons)) {
    // Opening takes the adapters with it, so each try starts from a fresh list.
    const std::string adapter_title = title(index, adapters.found[index]);
    auto context = gpu::Context::open(std::move(adapters), index);
    if (context) return context;
    reasons.push_back(adapter_title + ": " + context.error().message);
    adapters = gpu::find_adapters();
  }
  const std::string wanted = request == "auto" || request == "gpu"
                                 ? "no usable hardware GPU"
                                 : "no usable device '" + std::string(request) + "'";
  return std::unexpected{Error{ErrorKind::no_device, wanted, std::move(reasons)}};
}

Error host_memory(std::uint64_t bytes) {
  return {ErrorKind::out_of_memory, std::to_string(bytes) + " bytes of memory cannot be had"};
}

Result<void> check_range(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > buffer.bytes() || bytes > buffer.bytes() - offset) {
    return std::unexpected{Error{ErrorKind::bad_argument,
                                 "bytes " + std::to_string(offset) + " to " +
                                     std::to_string(offset) + " + " + std::to_string(bytes) +
                                     " are outside a buffer of " + std::to_string(buffer.bytes())}};
  }
  return {};
}

Result<void> check_owner(const Device& device, const Buffer& buffer) {
  if (buffer.impl().owner == &device.impl()) return {};
  return std::unexpected{Error{ErrorKind::bad_argument, "the buffer belongs to another device"}};
}

}  // namespace

std::vector<AdapterReport> list_adapters() {
  std::vector<AdapterReport> reports;
  const std::size_t count = gpu::find_adapters().found.size();
  for (std::size_t i = 0; i < count; ++i) {
    gpu::Adapters adapters = gpu::find_adapters();
    if (i >= adapters.found.size()) break;
    AdapterReport report = adapters.found[i].report;
    if (!report.refused) {
      // Only an open device tells its subgroup width, and whether it opens at all.
      auto context = gpu::Context::open(std::move(adapters), i);
      if (context) {
        report.traits = (*context)->traits();
      } else {
        report.refused = context.error().message;
      }
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

Buffer::Buffer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Buffer::Buffer(Buffer&&) noexcept = default;
Buffer& Buffer::operator=(Buffer&&) noexcept = default;
Buffer::~Buffer() = default;
std::uint64_t Buffer::bytes() const { return impl_->bytes; }

Device::Device(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;
Device::~Device() = default;

Device Device::cpu() {
  auto impl = std::make_unique<Impl>();
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  impl->cpu_info = {.name = "CPU, " + std::to_string(threads) + " threads",
                    .backend = Backend::cpu,
                    .kind = DeviceKind::cpu,
                    .driver = "",
                    .api = "threads"};
  return Device(std::move(impl));
}

Result<Device> Device::open(std::string_view request) {
  if (request == "cpu") return cpu();
  auto context = open_adapter(request);
  if (!context) {
    if (request == "auto") return cpu();
    return std::unexpected{std::move(context.error())};
  }
  auto impl = std::make_unique<Impl>();
  impl->gpu = std::move(*context);
  return Device(std::move(impl));
}

const DeviceInfo& Device::info() const { return impl_->gpu ? impl_->gpu->info() : impl_->cpu_info; }

const Traits& Device::traits() const {
  return impl_->gpu ? impl_->gpu->traits() : impl_->cpu_traits;
}

Result<Buffer> Device::allocate(std::uint64_t bytes, std::string_view label) {
  auto impl = std::make_unique<Buffer::Impl>();
  impl->owner = impl_.get();
  impl->bytes = (bytes + 3) / 4 * 4;
  if (impl_->gpu) {
    // In whole vectors of 16 bytes, where that is allowed: elements at the end move faster then.
    const std::uint64_t padded = bytes > PTRDIFF_MAX ? bytes : (bytes + 15) / 16 * 16;
    const bool fits = padded <= impl_->gpu->traits().limits.max_buffer_size;
    auto native = impl_->gpu->create_buffer(fits ? padded : bytes, label);
    if (!native) return std::unexpected{std::move(native.error())};
    impl->native = std::move(*native);
  } else {
    if (bytes > PTRDIFF_MAX) return std::unexpected{host_memory(bytes)};
    auto* memory = static_cast<std::byte*>(
        ::operator new[](impl->bytes + 1, std::align_val_t{64}, std::nothrow));
    if (memory == nullptr) return std::unexpected{host_memory(bytes)};
    impl->host.reset(memory);
    std::memset(memory, 0, impl->bytes);
  }
  return Buffer(std::move(impl));
}

Result<Buffer> Device::upload(std::span<const std::byte> data, std::string_view label) {
  auto buffer = allocate(data.size(), label);
  if (!buffer) return buffer;
  if (impl_->gpu) {
    if (auto ok = impl_->gpu->write(buffer->impl().native.get(), 0, data); !ok) {
      return std::unexpected{std::move(ok.error())};
    }
  } else {
    std::ranges::copy(data, buffer->impl().host.get());
  }
  return buffer;
}

Result<void> Device::write(const Buffer& buffer, std::uint64_t offset,
                           std::span<const std::byte> data) {
  if (auto ok = check_owner(*this, buffer); !ok) return ok;
  if (auto ok = check_range(buffer, offset, data.size()); !ok) return ok;
  if (offset % 4 != 0 || data.size() % 4 != 0) {
    return std::unexpected{
        Error{ErrorKind::bad_argument, "offset and size of a write must be multiples of 4"}};
  }
  if (impl_->gpu) return impl_->gpu->write(buffer.impl().native.get(), offset, data);
  std::ranges::copy(data, buffer.impl().host.get() + offset);
  return {};
}

Result<void> Device::read(const Buffer& buffer, std::uint64_t offset, std::span<std::byte> out) {
  if (auto ok = check_owner(*this, buffer); !ok) return ok;
  if (auto ok = check_range(buffer, offset, out.size()); !ok) return ok;
  if (offset % 4 != 0) {
    return std::unexpected{
        Error{ErrorKind::bad_argument, "the offset of a read must be a multiple of 4"}};
  }
  if (impl_->gpu) return impl_->gpu->read(buffer.impl().native.get(), offset, out);
  std::copy_n(buffer.impl().host.get() + offset, out.size(), out.data());
  return {};
}

Result<void> Device::wait() { return impl_->gpu ? impl_->gpu->wait() : Result<void>{}; }

}  // namespace cumulo

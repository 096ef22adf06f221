#include "api/plan_runner.hpp"

#include <array>

#include "api/impl.hpp"
#include "gpu/executor.hpp"

namespace cumulo {
namespace {

Result<gpu::BoundBuffer> upload(gpu::Context& context, const PlanBuffer& wanted,
                                std::span<const std::byte> data, gpu::NativeBuffer& owner) {
  const std::uint64_t bytes = std::max<std::uint64_t>(wanted.bytes, data.size());
  auto buffer = context.create_buffer(bytes, wanted.name);
  if (!buffer) return std::unexpected{std::move(buffer.error())};
  owner = std::move(*buffer);
  if (auto ok = context.write(owner.get(), 0, data); !ok) return std::unexpected{ok.error()};
  return gpu::BoundBuffer{owner.get(), 0, bytes};
}

}  // namespace

Result<std::vector<std::vector<std::byte>>> run_plan(Device& device, const Plan& plan,
                                                     std::span<const std::byte> input,
                                                     std::span<const std::byte> output) {
  if (!device.impl().gpu) {
    return std::unexpected{Error{ErrorKind::bad_argument, "the CPU backend runs no plans"}};
  }
  gpu::Context& context = *device.impl().gpu;
  std::array<gpu::NativeBuffer, 2> owners;
  auto in = upload(context, plan.buffers[0], input, owners[0]);
  if (!in) return std::unexpected{std::move(in.error())};
  auto out = upload(context, plan.buffers[1], output, owners[1]);
  if (!out) return std::unexpected{std::move(out.error())};

  auto prepared = gpu::PreparedPlan::create(context, plan, {0, 1});
  if (!prepared) return std::unexpected{std::move(prepared.error())};
  std::shared_ptr<gpu::Scratch> scratch;
  if ((*prepared)->scratch_bytes() > 0) {
    auto made = gpu::Scratch::create(context, (*prepared)->scratch_bytes());
    if (!made) return std::unexpected{std::move(made.error())};
    scratch = std::move(*made);
  }
  auto bound = gpu::BoundPlan::create(*prepared, std::array{*in, *out}, scratch);
  if (!bound) return std::unexpected{std::move(bound.error())};
  auto encoder = context.create_encoder("plan");
  if (!encoder) return std::unexpected{std::move(encoder.error())};
  if (auto ok = bound->record(encoder->get()); !ok) return std::unexpected{std::move(ok.error())};
  if (auto ok = context.submit(*encoder); !ok) return std::unexpected{std::move(ok.error())};

  std::vector<std::vector<std::byte>> contents;
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
    const gpu::BoundBuffer& buffer = bound->buffer(i);
    contents.emplace_back(i < 2 ? buffer.bytes : plan.buffers[i].bytes);
    if (auto ok = context.read(buffer.buffer, buffer.offset, contents.back()); !ok) {
      return std::unexpected{std::move(ok.error())};
    }
  }
  return contents;
}

}  // namespace cumulo

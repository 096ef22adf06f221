#include "cumulo/self_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <span>

#include "api/plan_runner.hpp"
#include "cumulo/plan.hpp"
#include "cumulo/scan.hpp"
#include "plan/preprocess.hpp"

namespace cumulo {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float smallest_normal = std::numeric_limits<float>::min();

// The same bits, or NaN both: payload and sign of a NaN are not promised.
bool same(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

bool is_subnormal(float x) { return std::fpclassify(x) == FP_SUBNORMAL; }

struct Probe {
  float a, b, c;
};

// What self_check.wgsl computes, in its order.
enum Expression : std::size_t { mul_add, sum, back, plus_zero, product, expressions };

std::array<float, expressions> exactly(const Probe& p) {
  return {p.a * p.b + p.c, (p.a + p.b) + p.c, (p.a + p.b) - p.a, p.a + 0.0F, p.a * p.b};
}

std::vector<Probe> make_probes() {
  std::vector<Probe> probes{{1e8F, 1, -1e8F},
                            {1, 1e-8F, -1},
                            {-0.0F, 1, 2},
                            {-0.0F, -0.0F, -0.0F},
                            {smallest_normal, 0.5F, 0},
                            {smallest_normal / 2, 1, 0},
                            {smallest_normal / 4, smallest_normal / 8, 0},
                            {smallest_normal * 1.5F, -smallest_normal, 0}};
  std::mt19937 random(1);
  std::uniform_real_distribution<float> mantissa(1, 2);
  for (int i = 0; i < 120; ++i) {
    const float a = mantissa(random);
    const float b = mantissa(random);
    // The product's rounding error is what is left: contraction shows in every bit.
    probes.push_back({a, b, i % 2 == 0 ? -(a * b) : mantissa(random)});
  }
  return probes;
}

Result<std::vector<float>> run_probes(Device& device, std::span<const Probe> probes) {
  auto wgsl = plan::preprocess("self_check.wgsl", {});
  if (!wgsl) return std::unexpected{std::move(wgsl.error())};
  const std::uint64_t out_bytes = probes.size() * expressions * sizeof(float);
  Plan plan{.primitive = "self-check",
            .algorithm = "arithmetic",
            .n = probes.size(),
            .buffers = {{"input", probes.size_bytes(), BufferRole::input},
                        {"output", out_bytes, BufferRole::output}},
            .kernels = {{"self_check", std::move(*wgsl), 64}},
            .steps = {}};
  plan.steps.push_back(DispatchStep{"",
                                    0,
                                    {{0, 0, probes.size_bytes()}, {1, 0, out_bytes}},
                                    {static_cast<std::uint32_t>((probes.size() + 63) / 64), 1, 1}});
  const std::vector<std::byte> nothing(out_bytes);
  auto contents = run_plan(device, plan, std::as_bytes(probes), nothing);
  if (!contents) return std::unexpected{std::move(contents.error())};
  std::vector<float> found(probes.size() * expressions);
  std::memcpy(found.data(), (*contents)[1].data(), out_bytes);
  return found;
}

Result<void> check_arithmetic(Device& device, SelfCheck& check) {
  const std::vector<Probe> probes = make_probes();
  auto found = run_probes(device, probes);
  if (!found) return std::unexpected{std::move(found.error())};
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const Probe& p = probes[i];
    const auto wanted = exactly(p);
    const auto differs = [&](Expression e) {
      return !same(wanted[e], (*found)[i * expressions + e]);
    };
    const bool has_subnormal = is_subnormal(p.a) || is_subnormal(p.b) || is_subnormal(p.a + p.b) ||
                               is_subnormal(wanted[product]) || is_subnormal(wanted[mul_add]);
    if (has_subnormal) {
      for (const Expression e : {mul_add, sum, back, plus_zero, product}) {
        if (differs(e)) check.flushes_denormals = true;
      }
    } else {
      if (differs(mul_add)) check.contracts = true;
      if (differs(sum)) check.reassociates = true;
      if (differs(back)) check.simplifies = true;
      if (differs(plus_zero)) check.drops_signed_zeros = true;
    }
  }
  return {};
}

// Numbers to scan, by index.
struct Numbers {
  const char* name;
  std::vector<Operator> operators;
  bool promised;
  std::function<float(std::uint64_t, std::mt19937&)> at;
  Type type = Type::f32;
};

std::vector<Numbers> all_numbers() {
  using enum Operator;
  const auto unit = [](std::mt19937& random) {
    return std::uniform_real_distribution<float>(-1, 1)(random);
  };
  return {
      {"random numbers",
       {add, min, max},
       true,
       [=](std::uint64_t, std::mt19937& r) {
         return std::ldexp(unit(r), static_cast<int>(r() % 20));
       }},
      {"numbers near 1",
       {mul},
       true,
       [=](std::uint64_t, std::mt19937& r) { return 1 + unit(r) / 1024; }},
      {"numbers that cancel",
       {add},
       true,
       [](std::uint64_t i, std::mt19937&) { return std::array{1e8F, 1.0F, -1e8F, 0.25F}[i % 4]; }},
      {"numbers with infinity and NaN late",
       {add, mul, min, max},
       true,
       [=](std::uint64_t i, std::mt19937& r) {
         return i == 600 ? infinity : i == 650 ? nan : 1 + unit(r) / 1024;
       }},
      {"zeros of both signs",
       {add, mul, min, max},
       true,
       [](std::uint64_t i, std::mt19937& r) { return i > 300 && r() % 2 == 0 ? 0.0F : -0.0F; }},
      {"subnormal numbers",
       {add, min, max},
       false,
       [=](std::uint64_t, std::mt19937& r) { return unit(r) * smallest_normal; }},
      {"products that become subnormal",
       {mul},
       false,
       [](std::uint64_t i, std::mt19937&) { return i % 200 < 130 ? 0.5F : 2.0F; }},
      {"halves of every size",
       {add, min, max},
       true,
       [=](std::uint64_t, std::mt19937& r) {
         return std::ldexp(unit(r), static_cast<int>(r() % 32) - 24);
       },
       Type::f16},
      {"halves that become subnormal, and infinite",
       {mul},
       true,
       [](std::uint64_t i, std::mt19937& r) {
         const float factor = i / 50 % 2 == 0 ? 0.5F : 2.0F;
         return i % 3 == 0 ? factor : 1 + static_cast<float>(r() % 2) / 1024;
       },
       Type::f16}};
}

// The results and the total.
template <Element T>
Result<std::vector<float>> scanned_as(Device& device, const ScanDescription& d,
                                      std::span<const float> values) {
  const std::vector<T> in(values.begin(), values.end());
  std::vector<T> out(result_count(d));
  auto report =
      scan_bytes(device, d, std::as_bytes(std::span{in}), std::as_writable_bytes(std::span{out}));
  if (!report) return std::unexpected{std::move(report.error())};
  out.push_back(std::get<T>(report->total));
  return std::vector<float>(out.begin(), out.end());
}

Result<std::vector<float>> scanned(Device& device, const ScanDescription& d,
                                   std::span<const float> values) {
  return d.type == Type::f16 ? scanned_as<Half>(device, d, values)
                             : scanned_as<float>(device, d, values);
}

// The algorithms that `auto` may choose on this device: the one that it chooses here, and what it
// falls back to.
std::vector<Algorithm> algorithms(const Device& device, const ScanDescription& d) {
  const auto chosen = plan_scan(d, device.traits());
  if (chosen && chosen->algorithm == name(Algorithm::single_pass)) {
    return {Algorithm::single_pass, Algorithm::reduce_then_scan};
  }
  return {Algorithm::reduce_then_scan};
}

Result<void> check_scan(Device& device, Device& cpu, const Numbers& numbers, ScanDescription d,
                        SelfCheck& check) {
  std::mt19937 random(7);
  std::vector<float> values(d.n);
  for (std::uint64_t i = 0; i < d.n; ++i) values[i] = numbers.at(i, random);
  auto expected = scanned(cpu, d, values);
  if (!expected) return std::unexpected{std::move(expected.error())};
  for (const Algorithm algorithm : algorithms(device, d)) {
    d.algorithm = algorithm;
    auto found = scanned(device, d, values);
    if (!found) return std::unexpected{std::move(found.error())};
    SelfCheckCase done{std::string(name(d.kind)) + " " + std::string(name(d.op)) + " of " +
                           std::to_string(d.n) + " " + numbers.name,
                       std::string(name(algorithm)), numbers.promised};
    const auto [e, f] = std::ranges::mismatch(*expected, *found, same);
    if (e != expected->end()) {
      done.first_difference = {static_cast<std::uint64_t>(e - expected->begin()), *e, *f};
    }
    check.cases.push_back(std::move(done));
  }
  return {};
}

}  // namespace

bool SelfCheck::ok() const {
  return std::ranges::none_of(
      cases, [](const SelfCheckCase& c) { return c.promised && c.first_difference.has_value(); });
}

Result<SelfCheck> self_check(Device& device) {
  SelfCheck check;
  if (device.info().backend == Backend::cpu) return check;
  if (auto ok = check_arithmetic(device, check); !ok) return std::unexpected{std::move(ok.error())};
  Device cpu = Device::cpu();
  // One tile and many; the strip, and what is not whole.
  for (const Numbers& numbers : all_numbers()) {
    for (const Operator op : numbers.operators) {
      for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
        for (const std::uint64_t n : {1'003U, 20'002U}) {
          const ScanDescription d{.n = n, .type = numbers.type, .op = op, .kind = kind};
          if (auto ok = check_scan(device, cpu, numbers, d, check); !ok) {
            return std::unexpected{std::move(ok.error())};
          }
        }
      }
    }
  }
  return check;
}

}  // namespace cumulo

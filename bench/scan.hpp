// cumulo's scan beside copies of the same bytes and the scans that a C++ program has at hand.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/report.hpp"
#include "cumulo/scan.hpp"

namespace cumulo::bench {

struct ScanBenchOptions {
  std::vector<std::uint64_t> sizes = {1U << 10, 1U << 14, 1U << 18, 1U << 22, 1U << 26};
  std::vector<Type> types = {Type::u32, Type::f32};  // u32, f32
  std::uint32_t runs = 9;
};

// All cases in one run, interleaved; each result is checked, on an output poisoned before. On a GPU
// there is cumulo alone, by the device's clock: the host's copies are no measure of it.
// bad_argument for another type; out_of_memory.
Result<Report> run_scan(Device& device, const ScanBenchOptions& options);

}  // namespace cumulo::bench

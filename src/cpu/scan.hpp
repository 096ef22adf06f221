// The CPU backend's scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cumulo/error.hpp"
#include "cumulo/scan_description.hpp"

namespace cumulo::cpu {

// What the CPU backend cannot do: unsupported, an algorithm of a GPU or a monoid without a C++
// function. bad_argument as validate() says.
Result<void> check(const ScanDescription& description);

// Scans `in` (description.n elements) into `out` (result_count(description) elements) and returns
// the total. in == out is allowed (also with include_initial, where out has one more element).
// algorithm: serial (one plain loop in index order), automatic or blocked (all threads, in the
// order of order.hpp for floats). The description has no monoid and is not
// wide.
Result<Scalar> scan(const ScanDescription& description, const void* in, void* out);

// The same with a monoid; returns the bytes of the total.
Result<std::vector<std::byte>> scan_monoid(const ScanDescription& description, const void* in,
                                           void* out);

// Wide sums; in != out. Returns the bytes of the total.
Result<std::vector<std::byte>> scan_wide(const ScanDescription& description, const void* in,
                                         void* out);

}  // namespace cumulo::cpu

// The CPU backend's scan.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cumulo/error.hpp"
#include "cumulo/scan_description.hpp"

namespace cumulo::cpu {

// Scans `in` (description.n elements) into `out` (result_count(description) elements) and returns
// the total. in == out is allowed (also with include_initial, where out has one more element).
// algorithm: serial (one plain loop in index order), automatic or blocked (all threads, in the
// order of order.hpp for floats). Any other is unsupported.
Result<Scalar> scan(const ScanDescription& description, const void* in, void* out);

}  // namespace cumulo::cpu

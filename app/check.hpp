// The comparison of a scan with a sequential computation.
#pragma once

#include <cstdint>
#include <optional>

#include "cumulo/error.hpp"
#include "cumulo/scan_description.hpp"
#include "formats/array.hpp"
#include "report.hpp"

namespace cumulo::app {

// What --check promises; help shows it.
extern const char* const check_promise;

// The first result that a sequential computation does not confirm. Integers, min and max: exactly.
// add and mul are computed sequentially in f64 (of f64 in long double), and a result may differ by
// the rounding of additions in a tree of depth log2 n, in any order; of halves, which are combined
// in f32, by that and the rounding to a half. `exact`: the result was computed one after the other
// too, and every bit has to agree. Of wide sums of f32, `out` and `total` are f64.
std::optional<Difference> first_difference(const ScanDescription& description, const Values& in,
                                           const Values& out, const Scalar& total, bool exact);

// The same of the value of a reduction, at index 0.
std::optional<Difference> value_difference(const ScanDescription& description, const Values& in,
                                           const Scalar& value);

}  // namespace cumulo::app

// The comparison of a scan with a sequential computation.
#pragma once

#include <cstdint>
#include <optional>

#include "cumulo/error.hpp"
#include "cumulo/scan_description.hpp"
#include "formats/array.hpp"

namespace cumulo::app {

struct Difference {
  std::uint64_t index = 0;  // of the result; their number where the total differs
  Scalar expected;
  Scalar found;
};

// What --check promises; help shows it.
extern const char* const check_promise;

// The first result that a sequential computation does not confirm. Integers, min and max: exactly.
// add and mul of f32 (f64) are computed sequentially in f64 (long double), and a result may differ
// by the rounding that any order of additions with a tree of depth log2 n brings. `exact`: the
// result was itself computed one after the other, and every bit has to agree.
// Of wide sums of f32, `out` and `total` are f64.
std::optional<Difference> first_difference(const ScanDescription& description, const Values& in,
                                           const Values& out, const Scalar& total, bool exact);

// The same of the value of a reduction alone; index 0.
std::optional<Difference> value_difference(const ScanDescription& description, const Values& in,
                                           const Scalar& value);

}  // namespace cumulo::app

// Counts of items as a command reads them, and what its device does with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/array.hpp"
#include "report.hpp"
#include "request.hpp"

namespace cumulo::app {

// Whole numbers from 0 to 2^32 - 1, of whatever type; a bad_argument names the first that is none.
Result<std::vector<std::uint32_t>> read_counts(const Request& request);

}  // namespace cumulo::app

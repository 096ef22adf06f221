// Sums and products of integers that left the range of a type nobody asked for.
#pragma once

#include <optional>
#include <string>

#include "cumulo/scan_description.hpp"
#include "formats/array.hpp"

namespace cumulo::app {

// Which results are looked at.
enum class Results : std::uint8_t { all_prefixes, total };

// Where the type of `in` was inferred, the sums or products of the description are in that type,
// and one of them wrapped: a sentence that says so, and which options avoid it.
std::optional<std::string> wrapped_note(const ScanDescription& description, const Array& in,
                                        Results results);

}  // namespace cumulo::app

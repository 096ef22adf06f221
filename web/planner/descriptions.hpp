// What a page asks for, from JSON: a primitive's description, as its header in include/cumulo has
// it.
#pragma once

#include <nlohmann/json.hpp>
#include <variant>

#include "cumulo/allocate.hpp"
#include "cumulo/error.hpp"
#include "cumulo/expand.hpp"
#include "cumulo/indirect.hpp"
#include "cumulo/reduce_description.hpp"
#include "cumulo/scan_description.hpp"
#include "cumulo/selection_description.hpp"

namespace cumulo::web {

using Description = std::variant<ScanDescription, ReduceDescription, SelectionDescription,
                                 AllocateDescription, ExpandDescription, ArgumentsDescription>;

// primitive: "scan", "reduce", "select", "allocate", "expand" or "arguments"; errors call it
// `called`. Missing fields keep their defaults; bad_argument: an unknown field or a value that is
// none, by its name as the page writes it and with what it may be, and what validate() says of the
// whole.
Result<Description> read_description(const std::string& primitive, const std::string& called,
                                     const nlohmann::json& fields);

// The value of a field that must be a whole number from 0 on.
Result<std::uint64_t> read_count(const std::string& field, const nlohmann::json& value);

}  // namespace cumulo::web

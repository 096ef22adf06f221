// The traits of a device that is not here, from a file.
#pragma once

#include <optional>
#include <string>

#include "cumulo/error.hpp"
#include "cumulo/traits.hpp"

namespace cumulo::app {

// Of JSON with a traits object alone, of one device with its traits, or of all that
// `cumulo devices --json` prints; among several adapters `device` chooses, an index or part of a
// name.
Result<Traits> read_traits_file(const std::string& path, const std::optional<std::string>& device);

}  // namespace cumulo::app

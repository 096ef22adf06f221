// The CPU backend over arrays in WebAssembly's own memory.
#pragma once

#include <cstddef>
#include <vector>

#include "cumulo/error.hpp"
#include "descriptions.hpp"

namespace cumulo::web {

// places: those of the slots in their order (plan/caller.hpp), apart from each other; after them,
// for a scan, that of its total. Each is aligned to 8 bytes.
Result<void> run_on_cpu(const Description& description, const std::vector<std::byte*>& places);

}  // namespace cumulo::web

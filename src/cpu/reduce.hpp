// The CPU backend's reduction.
#pragma once

#include <cstddef>
#include <vector>

#include "cumulo/error.hpp"
#include "cumulo/reduce_description.hpp"

namespace cumulo::cpu {

// bad_argument as validate() says; unsupported: a monoid without a C++ function.
Result<void> check(const ReduceDescription& description);

// The bytes of the value of description.n elements, by all threads; also out_of_memory.
Result<std::vector<std::byte>> reduce(const ReduceDescription& description, const void* in);

}  // namespace cumulo::cpu

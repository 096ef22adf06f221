// Kernels for subgroups of a width that no device here has.
#pragma once

#include <cstdint>
#include <string>

#include "cumulo/plan.hpp"

namespace cumulo::test {

// The kernel's text with subgroups made of `width` neighbouring invocations each, whose builtins go
// through workgroup memory: all subgroups must call them alike. Counts nothing of its own.
std::string with_subgroups_in_memory(const PlanKernel& kernel, std::uint32_t width);

}  // namespace cumulo::test

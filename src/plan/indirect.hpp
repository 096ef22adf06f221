// What plans that write indirect arguments share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cumulo/indirect.hpp"

namespace cumulo::plan {

// bad_argument: more than 16 of them, `per` of 0.
Result<void> validate(std::span<const IndirectForm> forms);

// Struct Form of lib/arguments.wgsl, one after the other; `misalignment` in words.
void append_forms(std::vector<std::uint32_t>& settings, std::span<const IndirectForm> forms,
                  std::uint32_t misalignment);

}  // namespace cumulo::plan

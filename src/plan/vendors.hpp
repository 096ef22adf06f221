// What GPUs are known to do by who made them: for native adapters and browsers alike.
#pragma once

#include <cstdint>
#include <string_view>

#include "cumulo/traits.hpp"

namespace cumulo::plan {

enum class Vendor : std::uint8_t { other, nvidia, amd, intel };

Vendor vendor_of(std::uint32_t pci_id);
// As a browser's GPUAdapterInfo has it.
Vendor vendor_of(std::string_view name);

// Sets forward_progress and ordered_workgroups.
void set_progress(Traits& traits, Vendor vendor, bool is_software);

}  // namespace cumulo::plan

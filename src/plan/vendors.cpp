#include "plan/vendors.hpp"

namespace cumulo::plan {

Vendor vendor_of(std::uint32_t pci_id) {
  switch (pci_id) {
    case 0x10de: return Vendor::nvidia;
    case 0x1002: return Vendor::amd;
    case 0x8086: return Vendor::intel;
    default: return Vendor::other;
  }
}

Vendor vendor_of(std::string_view name) {
  if (name == "nvidia") return Vendor::nvidia;
  if (name == "amd") return Vendor::amd;
  if (name == "intel") return Vendor::intel;
  return Vendor::other;
}

// The GPUs of those named here kept started workgroups running in published tests (Sorensen et al.
// 2021): a workgroup may wait there for one that started before it.
void set_progress(Traits& traits, Vendor vendor, bool is_software) {
  traits.forward_progress = vendor != Vendor::other && !is_software;
  traits.ordered_workgroups = traits.forward_progress && vendor == Vendor::nvidia;
}

}  // namespace cumulo::plan

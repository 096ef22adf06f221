// What every plan must keep, whatever it computes and however small the device.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cumulo/cumulo.hpp"

namespace cumulo::test {

// Success, or the first limit that the plan breaks: every grid, binding, workgroup, workgroup
// memory and buffer within the limits and within its buffer.
testing::AssertionResult keeps_device_limits(const Plan& plan, const Traits& traits);

// Those limits, and in a plan of slices all n elements read and written exactly once by the
// dispatches of each kernel that reads or writes them.
testing::AssertionResult keeps_limits(const Plan& plan, const ScanDescription& description,
                                      const Traits& traits, const PlanOptions& options = {});

// Success where the error is unsupported and its sentence names a limit of Limits.
testing::AssertionResult names_a_limit(const Error& error);

struct NamedTraits {
  std::string name;
  Traits traits;
};

// Devices that differ from the default in one respect or in many.
std::vector<NamedTraits> synthetic_devices();

}  // namespace cumulo::test

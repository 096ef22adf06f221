// Which vector targets are compiled; to be included before any header of Highway.
#pragma once

// The kernels keep vectors in arrays, which vectors without a compile-time size cannot be in. SSSE3
// alone is not worth its compile time.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

// Halves to floats and back, by vector code that is compiled for several processors and chosen at
// run time.
#pragma once

#include <cstddef>

#include "cumulo/half.hpp"

namespace cumulo::cpu {

// out[i] = in[i], which is exact.
void widen(const Half* in, std::size_t count, float* out);

// out[i] = in[i] rounded to the nearest half, ties to even. A NaN stays one, what is too large
// becomes infinite.
void narrow(const float* in, std::size_t count, Half* out);

}  // namespace cumulo::cpu

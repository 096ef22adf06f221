// What the blocked scan's first pass over a strip leaves for its second one (order.hpp).
#pragma once

#include "cumulo/order.hpp"

namespace cumulo::cpu {

template <class T>
struct alignas(64) QuadPrefixes {
  T quads[order::strip / order::quad];  // before each quad in its row, in an order of the kernels
  T rows[order::rows_per_strip];        // before each row in the strip
};

}  // namespace cumulo::cpu

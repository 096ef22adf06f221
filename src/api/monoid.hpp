// The user's WGSL, compiled before any kernel is made of it.
#pragma once

#include "cumulo/scan_description.hpp"
#include "gpu/context.hpp"

namespace cumulo {

// bad_argument with the compiler's message and the place in the monoid's own text where that does
// not compile. The description has a monoid.
Result<void> check_monoid(gpu::Context& context, const ScanDescription& description);

}  // namespace cumulo

// Everything but the WebGPU interop (webgpu.hpp).
#pragma once

#include "cumulo/device.hpp"
#include "cumulo/error.hpp"
#include "cumulo/monoid.hpp"
#include "cumulo/operator.hpp"
#include "cumulo/order.hpp"
#include "cumulo/plan.hpp"
#include "cumulo/scan.hpp"
#include "cumulo/scan_description.hpp"
#include "cumulo/self_check.hpp"
#include "cumulo/traits.hpp"
#include "cumulo/type.hpp"
#include "cumulo/wide.hpp"

// A picture of benchmark results: times and shares of a copy over the number of elements.
#pragma once

#include <string>
#include <string_view>

#include "cumulo/error.hpp"
#include "cumulo/operator.hpp"
#include "cumulo/scan_description.hpp"
#include "cumulo/type.hpp"
#include "picture/scene.hpp"

namespace cumulo::bench {

struct PlotOptions {
  Type type = Type::u32;
  Operator op = Operator::add;
  ScanKind kind = ScanKind::inclusive;
};

// From a report (schema "cumulo-bench/2") or several merged into one (schema "cumulo-bench-set/1"),
// 1280 x 560 pixels. bad_argument where the text is neither, or has no such scan in two sizes.
Result<picture::Scene> plot_scene(std::string_view results, const PlotOptions& options);

}  // namespace cumulo::bench

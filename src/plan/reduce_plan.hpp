// The plan of a reduction with its tuning given: for tests and measurements.
#pragma once

#include <cstdint>

#include "cumulo/plan.hpp"

namespace cumulo::plan {

// most_totals: how many there may be without batches; reduce_totals_limit() in tuning.hpp.
Result<Plan> plan_reduce(const ReduceDescription& description, const Traits& traits,
                         const PlanOptions& options, std::uint64_t most_totals);

}  // namespace cumulo::plan

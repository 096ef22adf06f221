// What a prepared selection holds.
#pragma once

#include <vector>

#include "api/calls.hpp"
#include "cumulo/selection.hpp"

namespace cumulo {

struct PreparedSelection::Impl : PreparedCall {
  SelectionDescription description;

  // As the plans want them; bad_argument where one is missing or too many.
  Result<std::vector<BufferRange>> caller_ranges(const SelectionRanges& ranges) const;
};

}  // namespace cumulo

// What the planners of all algorithms of a selection share: slices and their extents, kernels by
// name, the count on the device, the lengths of runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/selection_plans.hpp"
#include "plan/tuning.hpp"

namespace cumulo::plan {

class SelectionBuilder {
 public:
  // All kernels have workgroups of that size and tiles of so many elements.
  SelectionBuilder(const SelectionRequest& request, SelectionAlgorithm algorithm,
                   std::uint32_t workgroup_size, std::uint64_t tile);

  const Plan& plan() const { return plan_; }
  Plan& plan() { return plan_; }

  std::uint32_t add_buffer(std::string name, std::uint64_t bytes, BufferRole role);
  PlanBinding whole(std::uint32_t buffer) const;

  // The number of the kernel of that name; the first call makes it, from `before` and the file.
  Result<std::uint32_t> kernel(const std::string& name, std::string_view file, Values values,
                               const std::string& before = "");

  // Cuts the elements into slices of `slice`; where counted on the device, a first step works out
  // how many each has. Even a slice without elements has `least_tiles` tiles.
  std::optional<Error> add_slices(std::uint64_t slice, std::uint32_t least_tiles);
  const std::vector<Slice>& slices() const { return slices_; }
  // At least 1.
  std::uint64_t all_tiles() const { return all_tiles_; }
  PlanBinding extent(std::size_t slice) const;

  // Fills in all_tiles, capacity and counts_at.
  std::uint32_t add_parameters(const std::string& name, SelectParams params);

  // A workgroup for each tile of the slice.
  void add_dispatch(std::uint32_t kernel, std::size_t slice, std::vector<PlanBinding> bindings,
                    const std::string& more = "");

  // A buffer for the starts of runs, when lengths are wanted: one more than there are results, for
  // the end of the last.
  std::uint32_t add_starts();
  // The step that makes lengths of the starts, and copies the starts where indices are wanted.
  std::optional<Error> add_lengths(std::uint32_t starts);

  // Results [begin, end) of one of the caller's outputs, or of a buffer of words of our own;
  // `first` counts in words.
  BoundRange bind_output(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end) const;

 private:
  std::optional<Error> add_count(std::uint64_t slice, std::uint32_t least_tiles);

  const SelectionRequest& request_;
  const Limits& limits_;
  const SelectionDescription& d_;
  const std::uint32_t workgroup_size_;
  const std::uint64_t tile_;
  const std::uint64_t all_tiles_;
  Plan plan_;
  std::vector<Slice> slices_;
  std::uint32_t extents_ = 0;
};

// "ALGORITHM does not fit this device: WHY (LIMIT is VALUE)"
Error selection_refused(SelectionAlgorithm algorithm, const std::string& limit, std::uint64_t value,
                        const std::string& why);

}  // namespace cumulo::plan

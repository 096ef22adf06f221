// Compact, partition, unique and runs on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cumulo/error.hpp"
#include "cumulo/selection_description.hpp"

namespace cumulo::cpu {

// The arrays of a call, aligned to 4 bytes; what the description does not ask for is null.
struct SelectArrays {
  std::vector<const std::byte*> arrays;  // description.n elements each
  const std::byte* flags = nullptr;
  std::vector<std::byte*> kept;  // one for each kept array; result_count() elements each
  std::uint32_t* indices = nullptr;
  std::uint32_t* lengths = nullptr;
};

struct SelectCounts {
  std::uint64_t count = 0;   // selected, whatever the capacity
  std::uint64_t second = 0;  // with Rest::three_way: by the second predicate alone
};

// Whether select() can do it: unsupported where a predicate has no C++ function.
Result<void> check(const SelectionDescription& description);

// Outputs do not overlap anything else; nothing is written behind result_count() elements of them,
// nor behind the results. description is valid. Errors: out_of_memory.
Result<SelectCounts> select(const SelectionDescription& description, const SelectArrays& arrays);

}  // namespace cumulo::cpu

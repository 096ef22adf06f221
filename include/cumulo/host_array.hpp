// Arrays in host memory, for results.
#pragma once

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "cumulo/error.hpp"

namespace cumulo {

// `count` elements, value-initialized; or out_of_memory.
template <class T>
Result<std::vector<T>> host_array(std::uint64_t count) {
#ifdef __cpp_exceptions
  try {
    return std::vector<T>(count);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return std::unexpected{
      Error{ErrorKind::out_of_memory, "this machine has no memory for " + std::to_string(count) +
                                          " results of " + std::to_string(sizeof(T)) + " bytes"}};
#else
  return std::vector<T>(count);
#endif
}

}  // namespace cumulo

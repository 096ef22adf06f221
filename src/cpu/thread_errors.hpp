// oneTBB throws where the system gives it no more threads or memory; the library does not.
#pragma once

#include <exception>
#include <string>

#include "cumulo/error.hpp"

namespace cumulo::cpu {

// What `scan` returns, or out_of_memory where it throws.
template <class F>
auto without_exceptions(F&& scan) -> decltype(scan()) {
#ifndef __cpp_exceptions
  return scan();  // in WebAssembly: there are no threads, and nothing throws
#else
  try {
    return scan();
  } catch (const std::exception& error) {
    return std::unexpected{
        Error{ErrorKind::out_of_memory,
              std::string("the CPU backend could not start its threads: ") + error.what()}};
  }
#endif
}

}  // namespace cumulo::cpu

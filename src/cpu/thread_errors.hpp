// Exceptions end here: oneTBB throws where the system gives it no more threads or memory, and a
// program's own operator or predicate may throw what it likes. The library throws none.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "cumulo/error.hpp"

namespace cumulo::cpu {

// What a program's own function threw.
class CallersFault : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Calls a program's own function.
template <class F>
decltype(auto) call_callers(F&& function) {
#ifndef __cpp_exceptions
  return std::forward<F>(function)();
#else
  try {
    return std::forward<F>(function)();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw CallersFault(error.what());
  } catch (...) {
    throw CallersFault("no std::exception");
  }
#endif
}

// What `work` returns, or the Error that its exception stands for.
template <class F>
auto without_exceptions(F&& work) -> decltype(work()) {
#ifndef __cpp_exceptions
  return work();  // in WebAssembly: there are no threads, and nothing throws
#else
  try {
    return work();
  } catch (const CallersFault& error) {
    return std::unexpected{Error{
        ErrorKind::bad_argument,
        std::string("an operator or predicate of your own threw an exception: ") + error.what()}};
  } catch (const std::bad_alloc&) {
    return std::unexpected{
        Error{ErrorKind::out_of_memory, "the CPU backend found no memory to work in"}};
  } catch (const std::exception& error) {
    return std::unexpected{
        Error{ErrorKind::out_of_memory,
              std::string("the CPU backend could not start its threads: ") + error.what()}};
  }
#endif
}

}  // namespace cumulo::cpu

// How often this program has asked for memory.
#pragma once

#include <cstddef>

namespace cumulo::test {

// Calls of operator new since the program began, in any thread, by the library and the tests.
std::size_t allocations();

}  // namespace cumulo::test

// What the C++ and compiler libraries ask of a system, and WebAssembly's C library does not have.
#include <cstdint>

extern "C" {

// The one thread of a page's module never ends.
int __cxa_thread_atexit(void (*)(void*), void*, void*) noexcept { return 0; }

// Debian compiles the functions of 128-bit integers with a stack guard.
extern std::uintptr_t __stack_chk_guard;
std::uintptr_t __stack_chk_guard = 0x5bd1e995;
[[noreturn]] void __stack_chk_fail() { __builtin_trap(); }
}

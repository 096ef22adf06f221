#include "gpu/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> count{0};

// Null where there is no memory.
void* counted_or_null(std::size_t bytes, std::size_t alignment = 0) noexcept {
  ++count;
  const std::size_t wanted = bytes == 0 ? 1 : bytes;
  if (alignment == 0) return std::malloc(wanted);
  return std::aligned_alloc(alignment, (wanted + alignment - 1) / alignment * alignment);
}

void* counted(std::size_t bytes, std::size_t alignment = 0) {
  void* const memory = counted_or_null(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t& /*unused*/) noexcept {
  return counted_or_null(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t& /*unused*/) noexcept {
  return counted_or_null(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment,
                   const std::nothrow_t& /*unused*/) noexcept {
  return counted_or_null(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment,
                     const std::nothrow_t& /*unused*/) noexcept {
  return counted_or_null(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace cumulo::test {

std::size_t allocations() { return count; }

}  // namespace cumulo::test

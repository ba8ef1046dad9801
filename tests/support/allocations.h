// Counts what a thread takes from the heap: a measure of work that no clock disturbs.
//
// Replaces the global operator new, so it is included by one file of a test program only.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>

namespace anima::test {

inline thread_local std::size_t allocated_bytes = 0;

// Bytes that the function allocates on this thread, given back or not.
inline std::size_t bytes_allocated_by(const std::function<void()>& function) {
  const std::size_t before = allocated_bytes;
  function();
  return allocated_bytes - before;
}

}  // namespace anima::test

__attribute__((noinline)) void* operator new(std::size_t size) {
  anima::test::allocated_bytes += size;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  anima::test::allocated_bytes += size;
  return std::malloc(size == 0 ? 1 : size);
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

#include "simt/tests/runtime/counted_memory.h"

#include <atomic>
#include <cstdlib>
#include <pthread.h>

#include "runtime/counted_memory.h"

namespace {

std::atomic<std::size_t> allocated{0};
std::atomic<std::size_t> freed{0};

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
extern "C" {
void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
void __real_free(void* memory);
void* __real_malloc(std::size_t bytes);
int __real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* context);

void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  if (bytes >> 40 != 0) return nullptr;  // a sanitizer would end the program
  void* const memory = __real_aligned_alloc(alignment, bytes);
  if (memory != nullptr) ++allocated;
  return memory;
}
void* __wrap_malloc(std::size_t bytes) {
  ++allocated;
  return __real_malloc(bytes);
}
void __wrap_free(void* memory) {
  if (memory != nullptr) ++freed;
  __real_free(memory);
}
int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* context) {
  ++allocated;  // a stack
  ++freed;
  return __real_pthread_create(thread, attributes, body, context);
}
}
// NOLINTEND(bugprone-reserved-identifier)

namespace kmux::simt {

std::size_t counted_allocations() { return allocated; }
std::size_t counted_blocks() { return allocated - freed; }

}  // namespace kmux::simt

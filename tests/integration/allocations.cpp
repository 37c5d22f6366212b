#include "allocations.h"

#include <atomic>
#include <cstdlib>

#if defined(__has_feature)
#define KMUX_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KMUX_SANITIZED 1
#else
#define KMUX_SANITIZED 0
#endif

namespace {
// Atomic, because compilers may assume that the allocator does not write plain variables.
constinit thread_local std::atomic<std::size_t> counted{0};
}  // namespace

#if KMUX_SANITIZED

// A sanitizer has its own allocator and reports its calls.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                         void (*on_free)(const volatile void*));
namespace {
[[maybe_unused]] const int hooked = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++counted; }, [](const volatile void*) {});
}  // namespace

#else

// Source: glibc's names of its allocator's functions. Visible, so that the C++ library calls these.
#pragma GCC visibility push(default)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) { return ++counted, __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) { return ++counted, __libc_calloc(count, bytes); }
void* realloc(void* memory, std::size_t bytes) { return ++counted, __libc_realloc(memory, bytes); }
void* memalign(std::size_t alignment, std::size_t bytes) { return ++counted, __libc_memalign(alignment, bytes); }
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
}
#pragma GCC visibility pop

#endif

std::size_t kmux::test::allocations() { return counted; }

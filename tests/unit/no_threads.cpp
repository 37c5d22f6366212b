#include "no_threads.h"

#include <cerrno>
#include <dlfcn.h>
#include <pthread.h>

namespace {

thread_local bool no_thread_is_left = false;

}  // namespace

// Replaces the C library's function in this program.
extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*start)(void*), void* argument) noexcept {
  static const auto real = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return no_thread_is_left ? EAGAIN : real(thread, attributes, start, argument);
}

namespace kmux {

NoThreads::NoThreads() { no_thread_is_left = true; }
NoThreads::~NoThreads() { no_thread_is_left = false; }

}  // namespace kmux

#pragma once

#include <cstddef>
#include <functional>
#include <pthread.h>

#include <gtest/gtest.h>

namespace kmux::simt {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::size_t kSmallStackBytes = std::size_t{512} << 10;  // callers of the kernel need more with a
                                                                         // sanitizer
#else
inline constexpr std::size_t kSmallStackBytes = std::size_t{64} << 10;
#endif

/// Returns the result of `work` on a thread whose stack has `bytes`.
inline int on_small_stack(const std::function<int()>& work, std::size_t bytes = kSmallStackBytes) {
  struct Call {
    const std::function<int()>& work;
    int result = 0;
  } call{work};
  const auto run = [](void* one) -> void* {
    static_cast<Call*>(one)->result = static_cast<Call*>(one)->work();
    return nullptr;
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  EXPECT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread{};
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &call), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return call.result;
}

}  // namespace kmux::simt

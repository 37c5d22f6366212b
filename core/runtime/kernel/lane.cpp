#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <pthread.h>

#include "kernel_impl.h"

namespace kmux {
namespace {

// The lanes in use, a bit each. More threads than bits get numbers above them, which are never reused.
class LaneSet {
 public:
  std::uint32_t claim() noexcept {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      std::uint64_t used = words_[word].load(std::memory_order_relaxed);
      while (used != ~std::uint64_t{0}) {
        const int bit = std::countr_one(used);
        if (words_[word].compare_exchange_weak(used, used | (std::uint64_t{1} << bit), std::memory_order_acquire)) {
          return static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(bit);
        }
      }
    }
    return overflow_.fetch_add(1, std::memory_order_relaxed);
  }

  void release(std::uint32_t lane) noexcept {
    if (lane >= words_.size() * 64) return;
    words_[lane / 64].fetch_and(~(std::uint64_t{1} << (lane % 64)), std::memory_order_release);
  }

 private:
  static constexpr std::size_t kWords = 64;
  std::array<std::atomic<std::uint64_t>, kWords> words_{};
  std::atomic<std::uint32_t> overflow_{kWords * 64};
};

constinit LaneSet lanes;

// The lane of this thread plus one; 0 before the first use and after the thread's end.
// Initial-exec: every call reads it, and the few bytes that glibc keeps for libraries opened later are enough for it.
[[gnu::tls_model("initial-exec")]] constinit thread_local std::uint32_t claimed = 0;

void release_claimed(void*) noexcept {
  lanes.release(claimed - 1);
  claimed = 0;
}

// A key, unlike a thread_local with a destructor, needs no memory for a thread that uses it.
pthread_key_t thread_end_key() noexcept {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    pthread_key_create(&made, release_claimed);
    return made;
  }();
  return key;
}

[[gnu::cold, gnu::noinline]] std::uint32_t claim_lane() noexcept {
  const std::uint32_t lane = lanes.claim();
  claimed = lane + 1;
  pthread_setspecific(thread_end_key(), &claimed);
  return lane;
}

}  // namespace

[[gnu::hot]] std::uint32_t current_lane() noexcept {
  const std::uint32_t lane = claimed;
  return lane != 0 ? lane - 1 : claim_lane();
}

}  // namespace kmux

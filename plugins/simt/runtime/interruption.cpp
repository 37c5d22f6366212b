#include "simt/runtime/interruption.h"

#include <atomic>

#include "simt/runtime/stack.h"

namespace kmux::simt {
namespace {

constexpr std::uint64_t kPauseUs = 20000;

std::atomic<Interrupted> interrupted{nullptr};
std::atomic<void*> interrupted_self{nullptr};

}  // namespace

void set_interrupted(Interrupted function, void* self) {
  interrupted_self.store(self, std::memory_order_relaxed);
  interrupted.store(function, std::memory_order_release);
}

// Never queries the host on another stack: its interpreter may check that it runs on its thread's, as CPython does since 3.14.
Interruption::Interruption() : next_(has_left_stack() ? ~std::uint64_t{0} : ticks() + kPauseUs * ticks_per_us()) {}

__attribute__((cold, noinline)) bool Interruption::query_host() {
  const Interrupted function = interrupted.load(std::memory_order_acquire);
  is_requested_ = function != nullptr && function(interrupted_self.load(std::memory_order_relaxed)) != 0;
  next_ = ticks() + kPauseUs * ticks_per_us();
  return is_requested_;
}

}  // namespace kmux::simt

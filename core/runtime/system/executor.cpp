#include "kmux/executor.h"

#include <atomic>
#include <memory>
#include <utility>

#include "host_api.h"

namespace kmux {
namespace {

// Never destroyed, as a launch may be about to call it.
std::atomic<const Executor*> lent{nullptr};

}  // namespace

void set_executor(Executor executor) {
  lent.store(executor ? std::make_unique<const Executor>(std::move(executor)).release() : nullptr,
             std::memory_order_release);
}

bool run_on_lent_threads(unsigned threads, void (*work)(void* context), void* context) noexcept {
  const Executor* const executor = lent.load(std::memory_order_acquire);
  if (executor == nullptr || threads == 0) return executor != nullptr;
  try {
    (*executor)(threads, [work, context] { work(context); });
  } catch (...) {  // NOLINT(bugprone-empty-catch): who launches does the work then
  }
  return true;
}

}  // namespace kmux

#include "first_call.h"

#include <atomic>
#include <memory>
#include <utility>

namespace kmux {
namespace {

/// Lifetime: its slot owns it.
struct FirstCall {
  AdapterSlot& slot;
  Signature signature;
  std::function<void(CallSample)> tell;
  std::atomic<bool> told = false;

  void see(const kmux_slot* slots) {
    if (told.exchange(true)) return;
    slot.unwatch();
    Result<CallSample> sample = sample_of(signature, slots);
    if (sample) tell(*std::move(sample));
  }

  static kmux_code launch(void* self, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) noexcept {
    auto& first = *static_cast<FirstCall*>(self);
    const kmux_code code = first.slot.watched()(slots, *env, error);
    if (code != KMUX_OK) return code;
    try {
      first.see(slots);
    } catch (...) {  // NOLINT(bugprone-empty-catch): out of memory; the call itself has succeeded
    }
    return code;
  }
};

}  // namespace

void watch_first_call(AdapterSlot& slot, const Signature& signature, std::function<void(CallSample)> tell) {
  auto first = std::make_shared<FirstCall>(slot, signature, std::move(tell));
  slot.watch({FirstCall::launch, first.get()}, first);
}

}  // namespace kmux

#include "first_call.h"

#include <algorithm>
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

namespace {

Result<Tensor> make_tensor(const SampleTensor& sample, const Device& device) {
  if (sample.strides.empty()) return Tensor::zeros(sample.shape, sample.dtype, device);
  std::int64_t elements = std::ranges::find(sample.shape, 0) == sample.shape.end() ? 1 : 0;
  for (std::size_t dim = 0; dim < sample.shape.size() && elements > 0; ++dim) {
    if (sample.strides[dim] < 0) {
      return make_error(ErrorCode::kUnsupported,
                        "a call with negative strides cannot be measured. Pass contiguous tensors to tune.");
    }
    elements += (sample.shape[dim] - 1) * sample.strides[dim];
  }
  KMUX_ASSIGN(const Tensor memory, Tensor::zeros({elements}, sample.dtype, device));
  return memory.as_strided(sample.shape, sample.strides);
}

}  // namespace

Result<CallCopy> CallCopy::make(const CallSample& sample, const Device& device) {
  CallCopy copy;
  for (const auto& param : sample) {
    if (const Arg* arg = std::get_if<Arg>(&param)) {
      copy.args_.push_back(*arg);
      continue;
    }
    KMUX_ASSIGN(Tensor tensor, make_tensor(std::get<SampleTensor>(param), device));
    copy.args_.emplace_back(tensor.dl());  // a view: launches that are timed record nothing of what they use
    copy.tensors_.push_back(std::move(tensor));
  }
  return copy;
}

}  // namespace kmux

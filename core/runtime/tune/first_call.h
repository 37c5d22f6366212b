#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kmux/arg.h"
#include "kmux/device.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/tensor.h"

#include "kernel/adapter_slot.h"
#include "resolve/measurement.h"

namespace kmux {

/// Tells the shapes of the first call of `slot` that succeeds, after it was launched. Later calls cost nothing more.
///
/// `tell` runs on the thread of that call.
void watch_first_call(AdapterSlot& slot, const Signature& signature, std::function<void(CallSample)> tell);

/// Arguments like those of a call, over memory of their own, which is zero.
///
/// Lifetime: outlives the launches that use it.
class CallCopy {
 public:
  /// Errors: unavailable if the device has not enough memory; unsupported for negative strides.
  static Result<CallCopy> make(const CallSample& sample, const Device& device);
  std::span<const Arg> args() const { return args_; }

 private:
  std::vector<Tensor> tensors_;
  std::vector<Arg> args_;
};

}  // namespace kmux

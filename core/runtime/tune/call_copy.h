#pragma once

#include <span>
#include <vector>

#include "kmux/arg.h"
#include "kmux/device.h"
#include "kmux/error.h"
#include "kmux/tensor.h"

#include "resolve/call_sample.h"

namespace kmux {

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

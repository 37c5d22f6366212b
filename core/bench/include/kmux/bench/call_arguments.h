#pragma once

#include <span>
#include <vector>

#include "kmux/arg.h"
#include "kmux/bench/binding.h"
#include "kmux/bench/inputs.h"
#include "kmux/device.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/tensor.h"

namespace kmux::bench {

/// All arguments of a call of a program, outputs included, on one device.
///
/// Lifetime: owns the tensors; the arguments refer to them.
class CallArguments {
 public:
  /// Inputs as `inputs` says, outputs zero.
  ///
  /// Errors: those of `Inputs::tensor` and of the device; unsupported for a raw pointer.
  static Result<CallArguments> make(const Program& program, const Inputs& inputs, const Binding& binding,
                                    const Device& device);
  std::span<const Arg> args() const { return args_; }
  /// One a parameter; an empty handle for scalars and null tensors.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  /// Copies of the tensors on the host.
  Result<std::vector<Tensor>> on_host() const;

 private:
  std::vector<Tensor> tensors_;
  std::vector<Arg> args_;
};

}  // namespace kmux::bench

#include "kmux/bench/call_arguments.h"

namespace kmux::bench {
namespace {

Result<Tensor> make_tensor(const Program& program, const Param& param, const Inputs& inputs, const Binding& binding,
                           const Device& device) {
  if (is_output(program.signature, param.name)) {
    KMUX_ASSIGN(auto shape, binding.shape_of(param));
    return Tensor::zeros(std::move(shape), as_buffer(param)->dtype, device);
  }
  KMUX_ASSIGN(const Tensor host, inputs.tensor(param, binding));
  if (!host) return Tensor();
  if (device.is_host()) return host.clone();  // the program may write to it
  return host.to(device);
}

}  // namespace

Result<CallArguments> CallArguments::make(const Program& program, const Inputs& inputs, const Binding& binding,
                                          const Device& device) {
  CallArguments call;
  for (const Param& param : program.signature.params) {
    call.tensors_.emplace_back();
    if (const ScalarParam* scalar = as_scalar(param)) {
      KMUX_ASSIGN(const Arg value, binding.scalar(param.name, scalar->dtype));
      call.args_.push_back(value);
    } else if (as_buffer(param) != nullptr) {
      KMUX_ASSIGN(call.tensors_.back(), make_tensor(program, param, inputs, binding, device));
      call.args_.emplace_back(call.tensors_.back());
    } else {
      return make_error(ErrorCode::kUnsupported, "parameter \"" + param.name +
                                                     "\" is a raw pointer (there is none to give). Measure the program "
                                                     "from C++.");
    }
  }
  return call;
}

Result<std::vector<Tensor>> CallArguments::on_host() const {
  std::vector<Tensor> copies;
  for (const Tensor& tensor : tensors_) {
    copies.emplace_back();
    if (!tensor) continue;
    if (tensor.device().is_host()) {
      KMUX_ASSIGN(copies.back(), tensor.clone());
    } else {
      KMUX_ASSIGN(copies.back(), tensor.to(Device{}));
    }
  }
  return copies;
}

}  // namespace kmux::bench

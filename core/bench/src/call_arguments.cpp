#include "kmux/bench/call_arguments.h"

#include <cstring>

#include "kmux/plugin/backend.h"
#include "kmux/registry.h"

namespace kmux::bench {
namespace {

void fill_host(const Tensor& tensor, const Tensor& contents) {
  const auto bytes = static_cast<std::size_t>(tensor.byte_count());
  if (bytes == 0) return;
  if (contents) {
    std::memcpy(tensor.data(), contents.data(), bytes);
  } else {
    std::memset(tensor.data(), 0, bytes);
  }
}

Status fill_device(const Tensor& tensor, const Tensor& contents) {
  const Device& device = tensor.device();
  DeviceApi& api = device.plugin()->backend().devices();
  const auto bytes = static_cast<std::size_t>(tensor.byte_count());
  if (!contents) return api.memset(device.ordinal(), nullptr, tensor.data(), 0, bytes);
  return api.copy(device.ordinal(), nullptr, tensor.data(), contents.data(), bytes, KMUX_COPY_HOST_TO_DEVICE);
}

Result<Tensor> contiguous(const Tensor& tensor) { return tensor.is_contiguous() ? tensor : tensor.clone(); }

}  // namespace

Result<CallArguments> CallArguments::make(const Program& program, const Inputs& inputs, const Binding& binding,
                                          const Device& device) {
  CallArguments call(device);
  for (const Param& param : program.signature.params) KMUX_TRY(call.add(program, param, inputs, binding));
  KMUX_TRY(call.refill());
  return call;
}

Status CallArguments::add(const Program& program, const Param& param, const Inputs& inputs, const Binding& binding) {
  tensors_.emplace_back();
  first_contents_.emplace_back();
  if (as_buffer(param) != nullptr) return add_buffer(program, param, inputs, binding);
  if (const ScalarParam* scalar = as_scalar(param)) {
    KMUX_ASSIGN(const Arg value, binding.scalar(param.name, scalar->dtype));
    args_.push_back(value);
    return Ok{};
  }
  return make_error(ErrorCode::kUnsupported, "parameter \"" + param.name +
                                                 "\" is a raw pointer (there is none to give). Measure the program "
                                                 "from C++.");
}

Status CallArguments::add_buffer(const Program& program, const Param& param, const Inputs& inputs,
                                 const Binding& binding) {
  if (is_output(program.signature, param.name)) {
    KMUX_ASSIGN(auto shape, binding.shape_of(param));
    KMUX_ASSIGN(tensors_.back(), Tensor::empty(std::move(shape), as_buffer(param)->dtype, device_));
  } else {
    KMUX_ASSIGN(const Tensor given, inputs.tensor(param, binding));
    if (given) {
      KMUX_ASSIGN(first_contents_.back(), contiguous(given));
      KMUX_ASSIGN(tensors_.back(), Tensor::empty({given.shape().begin(), given.shape().end()}, given.dtype(), device_));
    }
  }
  args_.emplace_back(tensors_.back().dl());  // a view: calls that are timed record nothing of what they use
  return Ok{};
}

Status CallArguments::refill() {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (!tensors_[i]) continue;
    if (device_.is_host()) {
      fill_host(tensors_[i], first_contents_[i]);
    } else {
      KMUX_TRY(fill_device(tensors_[i], first_contents_[i]));
    }
  }
  return device_.synchronize();
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

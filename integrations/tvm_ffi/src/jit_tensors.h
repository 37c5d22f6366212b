#pragma once

#include <vector>

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/optional.h>

#include "kmux/tensor.h"

namespace kmux::bridge {

namespace ffi = ::tvm::ffi;

/// Tensors of a call that others hold; None is a null tensor.
using GivenTensors = ffi::Array<ffi::Optional<ffi::Tensor>>;

/// The same as the runtime's.
std::vector<Tensor> jit_tensors(const GivenTensors& given);

}  // namespace kmux::bridge

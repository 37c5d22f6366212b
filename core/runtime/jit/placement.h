#pragma once

#include <span>

#include "kmux/compile.h"
#include "kmux/dispatch.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"

namespace kmux {

/// `options` for a program that will run on `tensors`: where they leave it open, the device is that of the first tensor,
/// and the target "auto" is one of that kind of device.
CompileOptions placed(CompileOptions options, const Runtime& runtime, const Program& program,
                      std::span<const Tensor> tensors);

}  // namespace kmux

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kmux/compile_options.h"
#include "kmux/dispatch.h"
#include "kmux/environment.h"
#include "kmux/registry.h"
#include "kmux/tensor.h"

namespace kmux {

/// Returns `options` for a program that will run on `tensors`. If they leave it open, the device is that of the first
/// non-null tensor, and the target "auto" becomes one of that kind of device.
CompileOptions placed(CompileOptions options, const Environment& environment, const Registry& registry,
                      const Program& program, std::span<const Tensor> tensors);

}  // namespace kmux

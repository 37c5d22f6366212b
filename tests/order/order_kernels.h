#pragma once

#include <cstdint>

#include "kmux/compile.h"
#include "kmux/runtime.h"

#include "fake_cuda.h"

namespace kmux::order {

/// Kernels over vectors of floats whose results say in which order things happened. Compiled once for a backend; what they
/// do is done by `run` on the fake device.
struct OrderKernels {
  Kernel fill;  // y = v
  Kernel add;  // y = x + v
  Kernel through;  // y = x + v by way of a workspace, which is copied
  Kernel graph;  // `through`, replayed as a graph where the backend can

  /// Errors: as `compile`.
  static Result<OrderKernels> compile(Runtime& runtime, const std::string& backend);
};

/// What the kernels do.
void run(const fake_cuda::KernelRun& launch);

}  // namespace kmux::order

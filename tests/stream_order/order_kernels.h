#pragma once

#include <cstdint>

#include "kmux/compile.h"
#include "kmux/runtime.h"

#include "fake_cuda.h"

namespace kmux::order {

/// Kernels over vectors of floats whose results reveal the order of execution. Compiled once for a backend; `run`
/// executes them on the fake device.
struct OrderKernels {
  Kernel fill;  // y = v
  Kernel add;  // y = x + v
  Kernel through;  // y = x + v by way of a workspace, which is copied
  Kernel graph;  // `through`, replayed as a graph if the backend supports it

  /// Errors: as `compile`.
  static Result<OrderKernels> compile(Runtime& runtime, const std::string& backend);
};

/// Executes a launch of these kernels.
void run(const fake_cuda::KernelRun& launch);

}  // namespace kmux::order

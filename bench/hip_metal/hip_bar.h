#pragma once

#include <string>

namespace kmux::bench {

/// Kernel::launch of backend hip, three tensors and one symbol, over a HIP whose calls do nothing: nanoseconds.
double hip_fake_call_ns();

/// Kernel::launch over HIP's interface on CUDA minus the raw launch of the same code: nanoseconds.
double hip_on_cuda_over_raw();

/// Why `hip_on_cuda_over_raw` cannot be measured here; empty if it can.
std::string missing_cuda_device();

}  // namespace kmux::bench

#pragma once

#include <string>

#include "world.h"

namespace kmux::fake_cuda {

/// Copies the parameters that a graph keeps of a kernel's launch, with the arguments if their sizes are known.
///
/// Errors: INVALID_HANDLE for a dead kernel.
CUresult read_kernel_node(const CUDA_KERNEL_NODE_PARAMS& params, KernelNode& node);

/// Copies the name of a kernel, with its arguments if their sizes are known.
///
/// Errors: INVALID_VALUE if it has parameters and `args` is null.
CUresult copy_arguments(const Kernel& kernel, void* const* args, KernelNode& node);

/// Checks a node on `device` as the driver does. Returns INVALID_CONTEXT if the device is invalid.
CUresult check_node(const Node& node, int device);

/// Example: " add grid 4,1,1 block 128,1,1 smem 0 args [...]"
std::string kernel_node_text(const CUDA_KERNEL_NODE_PARAMS& params);
/// Example: " memset 0x7f00 value 0 element_bytes 1 width 16 height 1"
std::string memset_node_text(const CUDA_MEMSET_NODE_PARAMS& params);

}  // namespace kmux::fake_cuda

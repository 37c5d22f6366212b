#pragma once

#include <string>

#include "world.h"

namespace kmux::fake_cuda {

/// Copies what a graph keeps of a kernel's launch, its arguments too where their sizes are known.
///
/// Errors: INVALID_HANDLE for a dead kernel.
CUresult read_kernel_node(const CUDA_KERNEL_NODE_PARAMS& params, KernelNode& node);

/// What the driver checks of a node on `device`; INVALID_CONTEXT if that is none.
CUresult check_node(const Node& node, int device);

/// " add grid 4,1,1 block 128,1,1 smem 0 args [...]"
std::string kernel_node_text(const CUDA_KERNEL_NODE_PARAMS& params);
/// " memset 0x7f00 value 0 element_bytes 1 width 16 height 1"
std::string memset_node_text(const CUDA_MEMSET_NODE_PARAMS& params);

/// Does what the node says: a memset, or `run` (null: nothing). To be called without the world's lock.
void run_node(const Node& node, CUstream stream, const Run* run);

}  // namespace kmux::fake_cuda

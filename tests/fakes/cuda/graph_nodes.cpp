#include "graph_nodes.h"

#include <cstring>

#include "geometry.h"
#include "line.h"

namespace kmux::fake_cuda {
namespace {

CUkernel kernel_of_node(const CUDA_KERNEL_NODE_PARAMS& params) {
  return params.func == nullptr ? params.kern : reinterpret_cast<CUkernel>(params.func);
}

Geometry geometry_of(const CUDA_KERNEL_NODE_PARAMS& params) {
  Geometry geometry;
  geometry.grid = {params.gridDimX, params.gridDimY, params.gridDimZ};
  geometry.block = {params.blockDimX, params.blockDimY, params.blockDimZ};
  geometry.dynamic_smem_bytes = params.sharedMemBytes;
  return geometry;
}

bool is_valid(const CUDA_MEMSET_NODE_PARAMS& params) {
  const unsigned size = params.elementSize;
  const bool rows = params.height >= 1 && (params.height == 1 || params.pitch >= params.width * size);
  const std::size_t bytes = (params.height - 1) * params.pitch + params.width * size;
  return (size == 1 || size == 2 || size == 4) && rows && params.width > 0 && world().is_memory(params.dst, bytes);
}

}  // namespace

CUresult read_kernel_node(const CUDA_KERNEL_NODE_PARAMS& params, KernelNode& node) {
  node.kernel = kernel_of_node(params);
  node.geometry = geometry_of(params);
  const Kernel* kernel = world().kernels.find(node.kernel);
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return copy_arguments(*kernel, params.kernelParams, node);
}

CUresult copy_arguments(const Kernel& kernel, void* const* args, KernelNode& node) {
  node.name = kernel.name, node.library = kernel.library;
  const auto* parameters = world().parameters_of(kernel);
  if (parameters == nullptr) return CUDA_SUCCESS;
  if (args == nullptr && !parameters->empty()) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < parameters->size(); ++i) {
    const auto* from = static_cast<const unsigned char*>(args[i]);
    node.args.emplace_back(from, from + (*parameters)[i].size);
  }
  node.has_sizes = true;
  return CUDA_SUCCESS;
}

CUresult check_node(const Node& node, int device) {
  if (device < 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (const auto* memset = std::get_if<CUDA_MEMSET_NODE_PARAMS>(&node)) {
    return is_valid(*memset) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
  const auto* kernel_node = std::get_if<KernelNode>(&node);
  if (kernel_node == nullptr) return CUDA_SUCCESS;
  const Kernel* kernel = world().kernels.find(kernel_node->kernel);
  return kernel == nullptr ? CUDA_ERROR_INVALID_HANDLE : check_geometry(*kernel, device, kernel_node->geometry);
}

std::string kernel_node_text(const CUDA_KERNEL_NODE_PARAMS& params) {
  const Kernel* kernel = world().kernels.find(kernel_of_node(params));
  const std::string name = kernel == nullptr ? "?" : kernel->name;
  const auto* parameters = kernel == nullptr ? nullptr : world().parameters_of(*kernel);
  return " " + name + geometry_text(geometry_of(params)) + arguments_text(params.kernelParams, parameters);
}

std::string memset_node_text(const CUDA_MEMSET_NODE_PARAMS& params) {
  std::string text = " memset ";
  append(text, Hex{params.dst});
  text += " value " + std::to_string(params.value) + " element_bytes " + std::to_string(params.elementSize);
  return text + " width " + std::to_string(params.width) + " height " + std::to_string(params.height);
}

}  // namespace kmux::fake_cuda

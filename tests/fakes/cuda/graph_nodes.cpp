#include "graph_nodes.h"

#include <cstring>

#include "geometry.h"
#include "line.h"

namespace kmux::fake_cuda {
namespace {

CUkernel kernel_of(const CUDA_KERNEL_NODE_PARAMS& params) {
  return params.func == nullptr ? params.kern : reinterpret_cast<CUkernel>(params.func);
}

Geometry geometry_of(const CUDA_KERNEL_NODE_PARAMS& params) {
  Geometry geometry;
  geometry.grid = {params.gridDimX, params.gridDimY, params.gridDimZ};
  geometry.block = {params.blockDimX, params.blockDimY, params.blockDimZ};
  geometry.dynamic_smem_bytes = params.sharedMemBytes;
  return geometry;
}

void set_bytes(const CUDA_MEMSET_NODE_PARAMS& params) {
  auto* row = reinterpret_cast<unsigned char*>(static_cast<std::uintptr_t>(params.dst));
  for (std::size_t y = 0; y < params.height; ++y, row += params.pitch) {
    for (std::size_t x = 0; x < params.width; ++x) {
      std::memcpy(row + x * params.elementSize, &params.value, params.elementSize);
    }
  }
}

void run_kernel(const KernelNode& node, CUstream stream, const Run& run) {
  std::string name;
  CUlibrary library = nullptr;
  {
    const std::lock_guard lock(world().mutex);
    const Kernel* kernel = world().kernels.find(node.kernel);
    if (kernel == nullptr) return;
    name = kernel->name, library = kernel->library;
  }
  std::vector<void*> args;
  for (const std::vector<unsigned char>& bytes : node.args) args.push_back(const_cast<unsigned char*>(bytes.data()));
  const auto& [grid, block, cluster, smem, cooperative] = node.geometry;
  run({name,
       library,
       current_device(),
       {grid[0], grid[1], grid[2]},
       {block[0], block[1], block[2]},
       smem,
       stream,
       args.empty() ? nullptr : args.data()});
}

bool is_valid(const CUDA_MEMSET_NODE_PARAMS& params) {
  const unsigned size = params.elementSize;
  const bool rows = params.height >= 1 && (params.height == 1 || params.pitch >= params.width * size);
  const std::size_t bytes = (params.height - 1) * params.pitch + params.width * size;
  return (size == 1 || size == 2 || size == 4) && rows && params.width > 0 && world().is_memory(params.dst, bytes);
}

}  // namespace

CUresult read_kernel_node(const CUDA_KERNEL_NODE_PARAMS& params, KernelNode& node) {
  node.kernel = kernel_of(params);
  node.geometry = geometry_of(params);
  const Kernel* kernel = world().kernels.find(node.kernel);
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const auto* parameters = world().parameters_of(*kernel);
  if (parameters == nullptr) return CUDA_SUCCESS;
  if (params.kernelParams == nullptr && !parameters->empty()) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < parameters->size(); ++i) {
    const auto* from = static_cast<const unsigned char*>(params.kernelParams[i]);
    node.args.emplace_back(from, from + (*parameters)[i].size);
  }
  return CUDA_SUCCESS;
}

CUresult check_node(const Node& node, int device) {
  if (device < 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (const auto* memset = std::get_if<CUDA_MEMSET_NODE_PARAMS>(&node)) {
    return is_valid(*memset) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
  const auto& kernel_node = std::get<KernelNode>(node);
  const Kernel* kernel = world().kernels.find(kernel_node.kernel);
  return kernel == nullptr ? CUDA_ERROR_INVALID_HANDLE : check_geometry(*kernel, device, kernel_node.geometry);
}

std::string kernel_node_text(const CUDA_KERNEL_NODE_PARAMS& params) {
  const Kernel* kernel = world().kernels.find(kernel_of(params));
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

void run_node(const Node& node, CUstream stream, const Run* run) {
  if (const auto* memset = std::get_if<CUDA_MEMSET_NODE_PARAMS>(&node)) return set_bytes(*memset);
  if (run != nullptr) run_kernel(std::get<KernelNode>(node), stream, *run);
}

}  // namespace kmux::fake_cuda

#include "call.h"
#include "geometry.h"
#include "graph_nodes.h"
#include "work.h"

namespace kmux::fake_cuda {
namespace {

Geometry extents_of(const CUlaunchConfig& config) {
  Geometry geometry;
  geometry.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  geometry.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  geometry.dynamic_smem_bytes = config.sharedMemBytes;
  return geometry;
}

const Device& any_device(int device) {
  static const Device kNone;
  return device < 0 ? kNone : world().devices[static_cast<std::size_t>(device)];
}

CUresult read_attributes(const CUlaunchConfig& config, int device, Geometry& geometry, std::string& text) {
  CUresult result = CUDA_SUCCESS;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (!text.empty()) text += "; ";
    const CUresult wrong = read_attribute(config.attrs[i], any_device(device), geometry, text);
    if (result == CUDA_SUCCESS) result = wrong;
  }
  return result;
}

CUresult watched_launch(const CUlaunchConfig& config, CUfunction function, void** args) {
  Work work;
  Call call("cuLaunchKernelEx", Needs::kInit);
  World& w = world();
  const Kernel* kernel = w.kernels.find(kernel_of(function));
  int device = -1;
  const CUresult placed = w.find_place(function, config.hStream, &device);
  KernelNode node{kernel_of(function), {}, nullptr, extents_of(config)};
  std::string attributes;
  const CUresult read = read_attributes(config, device, node.geometry, attributes);
  const auto* parameters = kernel == nullptr ? nullptr : w.parameters_of(*kernel);
  call.with(" ", kernel == nullptr ? "?" : kernel->name.c_str(), geometry_text(node.geometry), " stream ",
            config.hStream);
  call.with(arguments_text(args, parameters), " attributes [", attributes, "]");
  return call.run([&] {
    if (placed != CUDA_SUCCESS) return placed;
    if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (read != CUDA_SUCCESS) return read;
    if (const CUresult wrong = copy_arguments(*kernel, args, node); wrong != CUDA_SUCCESS) return wrong;
    if (const CUresult wrong = check_geometry(*kernel, device, node.geometry); wrong != CUDA_SUCCESS) return wrong;
    const bool has_sizes = node.has_sizes;
    Timeline::Operation given = 0;
    const CUresult result = submit(work, config.hStream, device, std::move(node), &given, args);
    if (!has_sizes) work.wait_for(given);  // without sizes, only the caller has the arguments
    return result;
  });
}

CUresult unwatched_launch(CUfunction function) {
  const int device = current_device();
  if (device < 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (!is_of(function, device)) return CUDA_ERROR_INVALID_HANDLE;
  if (const auto work = launch_work.load(std::memory_order_relaxed)) work();
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction kernel, void** args, void** /*extra*/) {
  return is_watched() ? watched_launch(*config, kernel, args) : unwatched_launch(kernel);
}

}  // namespace kmux::fake_cuda

#include "call.h"
#include "geometry.h"

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

CUresult checked_launch(const CUlaunchConfig& config, CUfunction function, void** args, std::shared_ptr<const Run>& run,
                        std::string& name, CUlibrary& library, int& device) {
  Call call("cuLaunchKernelEx", Needs::kInit);
  World& w = world();
  const Kernel* kernel = w.kernels.find(kernel_of(function));
  const CUresult placed = w.find_place(function, config.hStream, &device);
  Geometry geometry = extents_of(config);
  std::string attributes;
  const CUresult read = read_attributes(config, device, geometry, attributes);
  const auto* parameters = kernel == nullptr ? nullptr : w.parameters_of(*kernel);
  call.with(" ", kernel == nullptr ? "?" : kernel->name.c_str(), geometry_text(geometry), " stream ", config.hStream);
  call.with(arguments_text(args, parameters), " attributes [", attributes, "]");
  return call.run([&] {
    if (placed != CUDA_SUCCESS) return placed;
    if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (read != CUDA_SUCCESS) return read;
    if (args == nullptr && parameters != nullptr && !parameters->empty()) return CUDA_ERROR_INVALID_VALUE;
    if (w.capture_of(config.hStream) == CU_STREAM_CAPTURE_STATUS_NONE) run = w.run;
    name = kernel->name, library = kernel->library;
    return check_geometry(*kernel, device, geometry);
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

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction kernel, void** args, void**) {
  if (!is_watched()) return unwatched_launch(kernel);
  std::shared_ptr<const Run> run;
  std::string name;
  CUlibrary library = nullptr;
  int device = -1;
  const CUresult result = checked_launch(*config, kernel, args, run, name, library, device);
  if (result != CUDA_SUCCESS || run == nullptr) return result;
  const auto& c = *config;
  (*run)({name,
          library,
          device,
          {c.gridDimX, c.gridDimY, c.gridDimZ},
          {c.blockDimX, c.blockDimY, c.blockDimZ},
          c.sharedMemBytes,
          c.hStream,
          args});
  return CUDA_SUCCESS;
}

}  // namespace kmux::fake_cuda

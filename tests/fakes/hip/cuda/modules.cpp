// Modules are CUDA's libraries; functions are those of the current context.
#include "cuda/driver.h"

using namespace kmux::hip_on_cuda;  // NOLINT(google-build-using-namespace): this file defines HIP's functions
using namespace kmux::nvidia;       // NOLINT(google-build-using-namespace): the names of the driver's interface

namespace {

// HIP has no attribute for the limit: a kernel may use all shared memory of the device.
int allow_dynamic_smem(CUkernel kernel) {
  const int device = current_device();
  int most = 0;
  int used = 0;
  KMUX_CHECK(driver()->device_attribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device));
  KMUX_CHECK(driver()->kernel_attribute_get(&used, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, device));
  return driver()->kernel_attribute_set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most - used, kernel, device);
}

int launch(CUlaunchConfig config, hipFunction_t function, void** arguments) {
  KMUX_CHECK(enter());
  return driver()->launch(&config, reinterpret_cast<CUfunction>(function), arguments, nullptr);
}

}  // namespace

int hipModuleLoadData(hipModule_t* module, const void* code) {
  KMUX_CHECK(enter());
  return driver()->library_load(reinterpret_cast<CUlibrary*>(module), code, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

int hipModuleUnload(hipModule_t module) {
  KMUX_CHECK(enter());
  return driver()->library_unload(reinterpret_cast<CUlibrary>(module));
}

int hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  KMUX_CHECK(enter());
  CUkernel kernel = nullptr;
  KMUX_CHECK(driver()->library_kernel(&kernel, reinterpret_cast<CUlibrary>(module), name));
  KMUX_CHECK(allow_dynamic_smem(kernel));
  return driver()->kernel_function(reinterpret_cast<CUfunction*>(function), kernel);
}

int hipModuleGetGlobal(void** address, size_t* bytes, hipModule_t module, const char* name) {
  KMUX_CHECK(enter());
  CUdeviceptr place = 0;
  KMUX_CHECK(driver()->library_global(&place, bytes, reinterpret_cast<CUlibrary>(module), name));
  *address = reinterpret_cast<void*>(place);
  return 0;
}

int hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared_bytes, hipStream_t stream,
                          void** arguments, void**) {
  return launch(
      {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, reinterpret_cast<CUstream>(stream), nullptr, 0},
      function, arguments);
}

int hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                     hipStream_t stream, void** arguments) {
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  return launch({grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, reinterpret_cast<CUstream>(stream),
                 &attribute, 1},
                function, arguments);
}

#include "raw_cuda.h"

#include <dlfcn.h>
#include <stdexcept>

namespace kmux::bench {

using namespace nvidia;  // NOLINT(google-build-using-namespace): the names of the driver's interface

namespace {

constexpr const char* kDriver = "libcuda.so.1";

}  // namespace

bool RawCuda::has_device() {
  void* const library = dlopen(kDriver, RTLD_NOW);
  if (library == nullptr) return false;
  const auto init = reinterpret_cast<CUresult (*)(unsigned)>(dlsym(library, "cuInit"));
  const auto count = reinterpret_cast<CUresult (*)(int*)>(dlsym(library, "cuDeviceGetCount"));
  int devices = 0;
  return init(0) == CUDA_SUCCESS && count(&devices) == CUDA_SUCCESS && devices > 0;
}

RawCuda::RawCuda() {
  void* const library = dlopen(kDriver, RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());
#define KMUX_CALL(name, symbol, params) calls_.name = reinterpret_cast<CUresult(*) params>(dlsym(library, #symbol));
  KMUX_DRIVER_CALLS(KMUX_CALL)
#undef KMUX_CALL
  check(calls_.init(0), "cuInit");
  CUcontext context = nullptr;
  check(calls_.primary_retain(&context, 0), "cuDevicePrimaryCtxRetain");
  check(calls_.current_set(context), "cuCtxSetCurrent");
}

void RawCuda::check(CUresult code, const char* call) const {
  if (code == CUDA_SUCCESS) [[likely]] {
    return;
  }
  const char* name = "?";
  calls_.error_name(code, &name);
  throw std::runtime_error(std::string(call) + " failed with " + name);
}

CUfunction RawCuda::load(const Kernel& kernel, const char* symbol, unsigned dynamic_smem_bytes) const {
  for (const File& file : kernel.files()) {
    if (file.path != "artifact/code") continue;
    CUlibrary library = nullptr;
    CUkernel function = nullptr;
    check(calls_.library_load(&library, file.content.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "cuLibraryLoadData");
    check(calls_.library_kernel(&function, library, symbol), "cuLibraryGetKernel");
    check(calls_.kernel_attribute_set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                      static_cast<int>(dynamic_smem_bytes), function, 0),
          "cuKernelSetAttribute");
    CUfunction found = nullptr;  // launches faster than the kernel handle
    check(calls_.kernel_function(&found, function), "cuKernelGetFunction");
    return found;
  }
  throw std::runtime_error("the kernel has no code");
}

CUDA_KERNEL_NODE_PARAMS RawLaunch::node_params() {
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = function_;
  params.gridDimX = config_.gridDimX, params.gridDimY = 1, params.gridDimZ = 1;
  params.blockDimX = config_.blockDimX, params.blockDimY = 1, params.blockDimZ = 1;
  params.kernelParams = args_.data();
  return params;
}

kmux_tensor_map encode(const RawCuda& cuda, const TensorMap& map, void* base) {
  std::vector<std::uint64_t> dims, strides;
  for (const Expr& dim : map.dims) dims.push_back(static_cast<std::uint64_t>(dim.constant()));
  for (const Expr& stride : map.strides_bytes) strides.push_back(static_cast<std::uint64_t>(stride.constant()));
  const auto& tiled = std::get<TiledMap>(map.mode);
  const std::vector<std::uint32_t> box(tiled.box.begin(), tiled.box.end()), ones(dims.size(), 1);
  kmux_tensor_map encoded;
  cuda.check(cuda.calls().encode_tiled(&encoded, static_cast<int>(map.dtype), static_cast<std::uint32_t>(dims.size()),
                                       base, dims.data(), strides.data(), box.data(), ones.data(),
                                       static_cast<int>(map.interleave), static_cast<int>(map.swizzle),
                                       static_cast<int>(map.l2_promotion), static_cast<int>(map.oob_fill)),
             "cuTensorMapEncodeTiled");
  return encoded;
}

}  // namespace kmux::bench

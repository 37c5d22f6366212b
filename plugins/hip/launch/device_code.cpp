#include "launch/device_code.h"

namespace kmux::hip {
namespace {

// The limit of every device of AMD's, if the device reports none. Source: HIP programming guide, "local data share".
constexpr unsigned long long kMinSmemBytes = 65536;

std::string times(const unsigned (&extents)[3]) {
  return std::to_string(extents[0]) + " x " + std::to_string(extents[1]) + " x " + std::to_string(extents[2]);
}

}  // namespace

int DeviceScope::change(int current, int result, int device, kmux_sink error) {
  if (result != kHipSuccess) return fail_call(hip_, error, "hipGetDevice", result, "");
  result = hip_.device_set(device);
  if (result != kHipSuccess) {
    return fail_call(hip_, error, "hipSetDevice", result, "device " + std::to_string(device));
  }
  before_ = current;
  is_changed_ = true;
  return KMUX_OK;
}

int DeviceScope::restore(int code, kmux_sink error) {
  is_changed_ = false;
  const int result = hip_.device_set(before_);
  if (result == kHipSuccess || code != KMUX_OK) return code;  // the first failure is reported
  return fail_call(hip_, error, "hipSetDevice", result, "device " + std::to_string(before_) + ", as before the call");
}

std::string DeviceCode::quoted_name(unsigned index) const {
  return "kernel \"" + std::string(facts_.kernels[index].name) + "\"";
}

int DeviceCode::load(const void* code, kmux_sink error) {
  smem_limit_ = read_smem_limit();
  kernels_.resize(facts_.kernel_count);
  if (facts_.kernel_count == 0) return KMUX_OK;
  for (unsigned i = 0; i < facts_.kernel_count; ++i) {
    if (const int failure = check_kernel(i, error)) return failure;
  }
  const int result = hip_.module_load(&module_, code);
  if (result != kHipSuccess) {
    module_ = nullptr;
    return fail_call(hip_, error, "hipModuleLoadData", result,
                     "the code of \"" + std::string(facts_.name) + "\" on device " + std::to_string(ordinal_));
  }
  const int failure = find_kernels(error);
  if (failure != KMUX_OK) static_cast<void>(unload());  // the first failure is reported
  return failure;
}

unsigned long long DeviceCode::read_smem_limit() const {
  int bytes = 0;
  const bool is_said = hip_.device_attribute(&bytes, kMaxSharedMemoryPerBlock, ordinal_) == kHipSuccess && bytes > 0;
  return is_said ? static_cast<unsigned long long>(bytes) : kMinSmemBytes;
}

int DeviceCode::find_kernels(kmux_sink error) {
  for (unsigned i = 0; i < facts_.kernel_count; ++i) {
    const KernelFacts& facts = facts_.kernels[i];
    kernels_[i].dynamic_smem_limit =
        smem_limit_ - (facts.static_smem_bytes < smem_limit_ ? facts.static_smem_bytes : smem_limit_);
    kernels_[i].max_threads = facts.max_threads > 0 ? facts.max_threads : ~0ULL;
    const int result = hip_.module_function(&kernels_[i].function, module_, facts.name);
    if (result == kHipSuccess) continue;
    return fail_call(hip_, error, "hipModuleGetFunction", result,
                     quoted_name(i) + " in the code of \"" + facts_.name + "\"");
  }
  return KMUX_OK;
}

int DeviceCode::find_variable(const char* symbol, void** address, uint64_t* bytes, kmux_sink error) const {
  size_t size = 0;
  const int result = hip_.module_global(address, &size, module_, symbol);
  if (result != kHipSuccess) {
    return fail_call(hip_, error, "hipModuleGetGlobal", result,
                     "variable \"" + std::string(symbol) + "\" in the code of \"" + facts_.name + "\"");
  }
  *bytes = size;
  return KMUX_OK;
}

int DeviceCode::check_kernel(unsigned index, kmux_sink error) const {
  const KernelFacts& facts = facts_.kernels[index];
  if (facts.dynamic_smem_bytes + facts.static_smem_bytes <= smem_limit_) return KMUX_OK;
  return refuse_dynamic_smem(index, facts.dynamic_smem_bytes, error);
}

int DeviceCode::unload() {
  if (module_ == nullptr) return kHipSuccess;
  const hipModule_t module = module_;
  module_ = nullptr;
  return hip_.module_unload(module);
}

int DeviceCode::launch_special(const kmux_driver_launch& launch, void* stream, kmux_sink error) const {
  const Kernel& kernel = kernels_[launch.kernel];
  if (launch.dynamic_smem_bytes > kernel.dynamic_smem_limit) {
    return refuse_dynamic_smem(launch.kernel, launch.dynamic_smem_bytes, error);
  }
  kmux_driver_launch plain = launch;
  plain.flags = 0;
  if (!allows(plain)) return refuse_threads(launch, error);
  if (hip_.launch_cooperative == nullptr) {
    return fail(error, KMUX_UNSUPPORTED,
                quoted_name(launch.kernel) +
                    " cannot be launched cooperatively (this release of HIP's runtime has no "
                    "hipModuleLaunchCooperativeKernel). Install ROCm 5.5 or newer.");
  }
  const int result = hip_.launch_cooperative(
      kernel.function, launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1],
      launch.block[2], static_cast<unsigned>(launch.dynamic_smem_bytes), static_cast<hipStream_t>(stream), launch.args);
  return result == kHipSuccess ? KMUX_OK : fail_launch("hipModuleLaunchCooperativeKernel", launch, result, error);
}

int DeviceCode::refuse_dynamic_smem(unsigned index, unsigned long long bytes, kmux_sink error) const {
  return fail(error, KMUX_INVALID_ARGUMENT,
              quoted_name(index) + " requests " + std::to_string(bytes) + " bytes of dynamic shared memory (device " +
                  std::to_string(ordinal_) + " has " + std::to_string(smem_limit_) + " a block, of which " +
                  std::to_string(facts_.kernels[index].static_smem_bytes) +
                  " are static in this kernel). Use smaller tiles or another device.");
}

int DeviceCode::refuse_threads(const kmux_driver_launch& launch, kmux_sink error) const {
  if (!are_countable(launch)) {
    return fail(error, KMUX_INVALID_ARGUMENT,
                quoted_name(launch.kernel) + " is launched with grid " + times(launch.grid) + " and block " +
                    times(launch.block) + " (HIP counts fewer than 2^32 threads a dimension). Launch fewer blocks.");
  }
  return fail(error, KMUX_INVALID_ARGUMENT,
              quoted_name(launch.kernel) + " is launched with blocks of " + times(launch.block) +
                  " threads (its code is compiled for at most " +
                  std::to_string(facts_.kernels[launch.kernel].max_threads) +
                  "). Use smaller blocks, or raise __launch_bounds__.");
}

int DeviceCode::fail_launch(const char* call, const kmux_driver_launch& launch, int result, kmux_sink error) const {
  return fail_call(hip_, error, call, result,
                   quoted_name(launch.kernel) + " on device " + std::to_string(ordinal_) + ", grid " +
                       times(launch.grid) + ", block " + times(launch.block) + ", " +
                       std::to_string(launch.dynamic_smem_bytes) + " bytes of dynamic shared memory");
}

}  // namespace kmux::hip

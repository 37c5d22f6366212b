// bare_start FILE.cubin: the minimal program that loads kernel `add` and computes a result, for process_start_ratio.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

#include "nvidia/launch/driver_table.h"

using namespace kmux::nvidia;  // NOLINT(google-build-using-namespace): the names of the driver's interface

namespace {

void check(CUresult code, const char* what) {
  if (code == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s failed with %d\n", what, code);
  std::exit(1);
}

DriverTable opened() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) std::exit((std::fputs(dlerror(), stderr), 1));
  DriverTable calls{};
#define KMUX_CALL(name, symbol, params) calls.name = reinterpret_cast<CUresult(*) params>(dlsym(library, #symbol));
  KMUX_DRIVER_CALLS(KMUX_CALL)
#undef KMUX_CALL
  return calls;
}

std::vector<char> read(const char* path) {
  std::vector<char> content(1 << 20);
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) std::exit(1);
  content.resize(std::fread(content.data(), 1, content.size(), file));
  std::fclose(file);
  return content;
}

}  // namespace

int main(int, char** argv) {
  const DriverTable cu = opened();
  CUcontext context = nullptr;
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUmemoryPool pool = nullptr;
  check(cu.init(0), "cuInit");
  check(cu.primary_retain(&context, 0), "cuDevicePrimaryCtxRetain");
  check(cu.current_set(context), "cuCtxSetCurrent");
  const std::vector<char> code = read(argv[1]);
  check(cu.library_load(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), "cuLibraryLoadData");
  check(cu.library_kernel(&kernel, library, "add"), "cuLibraryGetKernel");
  check(cu.device_pool(&pool, 0), "cuDeviceGetDefaultMemPool");
  CUdeviceptr a = 0, c = 0;
  check(cu.allocate(&a, 16, pool, nullptr), "cuMemAllocFromPoolAsync");
  check(cu.allocate(&c, 16, pool, nullptr), "cuMemAllocFromPoolAsync");
  const float ones[4] = {1, 1, 1, 1};
  float sum[4] = {};
  int n = 4;
  check(cu.copy_to_device(a, ones, sizeof ones, nullptr), "cuMemcpyHtoDAsync");
  CUlaunchConfig config{1, 1, 1, 128, 1, 1, 0, nullptr, nullptr, 0};
  void* args[] = {&a, &a, &c, &n};
  check(cu.launch(&config, reinterpret_cast<CUfunction>(kernel), args, nullptr), "cuLaunchKernelEx");
  check(cu.copy_to_host(sum, c, sizeof sum, nullptr), "cuMemcpyDtoHAsync");
  check(cu.stream_synchronize(nullptr), "cuStreamSynchronize");
  return sum[3] == 2 ? 0 : 1;
}

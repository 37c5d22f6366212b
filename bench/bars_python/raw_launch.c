// Measures a bare launch; python_bars.py compiles it into a library and calls it.
#include <dlfcn.h>
#include <stddef.h>
#include <time.h>

// Source: CUDA Driver API, cuLaunchKernel.
typedef int (*LaunchKernel)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                            unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** params,
                            void** extra);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static LaunchKernel find_launch(void) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return library == NULL ? NULL : (LaunchKernel)dlsym(library, "cuLaunchKernel");
}

// The launch of `__tvm_ffi_raw_launch`.
static struct {
  LaunchKernel launch;
  void* function;
  unsigned grid, block;
  void* addresses[3];
  long long n;
  void* stream;
} prepared;

int raw_launch_prepare(void* function, unsigned grid, unsigned block, void** addresses, long long n, void* stream) {
  prepared.launch = find_launch();
  prepared.function = function;
  prepared.grid = grid;
  prepared.block = block;
  for (int i = 0; i < 3; ++i) prepared.addresses[i] = addresses[i];
  prepared.n = n;
  prepared.stream = stream;
  return prepared.launch == NULL ? -1 : 0;
}

// A TVM-FFI function that ignores its arguments and launches: the lower bound of a call from Python. Python's code
// evicts the driver's from the caches before each.
int __tvm_ffi_raw_launch(void* self, const void* args, int count, void* result) {
  (void)self, (void)args, (void)count, (void)result;
  void* params[] = {&prepared.addresses[0], &prepared.addresses[1], &prepared.addresses[2], &prepared.n};
  return prepared.launch(prepared.function, prepared.grid, 1, 1, prepared.block, 1, 1, 0, prepared.stream, params,
                         NULL);
}

// Returns nanoseconds of one of `count` launches of a function of three addresses and an int; negative if one failed.
double raw_launch_ns(void* function, unsigned grid, unsigned block, void** addresses, long long n, void* stream,
                     int count) {
  const LaunchKernel launch = find_launch();
  if (launch == NULL) return -1;
  void* params[] = {&addresses[0], &addresses[1], &addresses[2], &n};
  int failed = 0;
  const double begin = now();
  for (int i = 0; i < count; ++i) failed |= launch(function, grid, 1, 1, block, 1, 1, 0, stream, params, NULL);
  return failed ? -1 : (now() - begin) / count;
}

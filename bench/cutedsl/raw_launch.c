// What a launch costs without anything around it; python_bars.py compiles it into a library and calls it.
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

// Nanoseconds of one of `count` launches of a function of three addresses and an int; negative if one failed.
double raw_launch_ns(void* function, unsigned grid, unsigned block, void** addresses, long long n, void* stream,
                     int count) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  const LaunchKernel launch = library == NULL ? NULL : (LaunchKernel)dlsym(library, "cuLaunchKernel");
  if (launch == NULL) return -1;
  void* params[] = {&addresses[0], &addresses[1], &addresses[2], &n};
  int failed = 0;
  const double begin = now();
  for (int i = 0; i < count; ++i) failed |= launch(function, grid, 1, 1, block, 1, 1, 0, stream, params, NULL);
  return failed ? -1 : (now() - begin) / count;
}

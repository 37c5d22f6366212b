// Measures driver calls without Python: raw_driver.py compiles this into a library.
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

// Source: CUDA Driver API, cuLaunchKernel and cuCtxSynchronize.
typedef int (*LaunchKernel)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                            unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** params,
                            void** extra);
typedef int (*Synchronize)(void);

struct launch {
  LaunchKernel launch;
  Synchronize synchronize;
  void* function;
  unsigned grid, block;
  unsigned long long x, y, z;
  float a;
  long long n;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

// Returns NULL if there is no driver. The result is never freed.
struct launch* driver_loop_prepare(void* function, unsigned grid, unsigned block, unsigned long long x,
                                   unsigned long long y, unsigned long long z, float a, long long n) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  struct launch* const made = malloc(sizeof *made);
  if (library == NULL || made == NULL) return NULL;
  *made = (struct launch){(LaunchKernel)dlsym(library, "cuLaunchKernel"),
                          (Synchronize)dlsym(library, "cuCtxSynchronize"),
                          function,
                          grid,
                          block,
                          x,
                          y,
                          z,
                          a,
                          n};
  return made->launch == NULL || made->synchronize == NULL ? NULL : made;
}

int driver_loop_call(struct launch* it) {
  void* params[] = {&it->x, &it->y, &it->z, &it->a, &it->n};
  return it->launch(it->function, it->grid, 1, 1, it->block, 1, 1, 0, NULL, params, NULL);
}

// Returns nanoseconds of `count` calls, each waited for if `waits`; negative if one failed.
double driver_loop_calls(struct launch* it, int count, int waits) {
  int failed = 0;
  const double begin = now();
  for (int i = 0; i < count; ++i) {
    failed |= driver_loop_call(it);
    if (waits) failed |= it->synchronize();
  }
  return failed ? -1 : now() - begin;
}

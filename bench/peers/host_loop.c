// Measures calls of a C function without Python: c_loop.py compiles this into a library.
#include <time.h>

typedef void (*Saxpy)(const float* x, const float* y, float* z, float a, long long n);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

// Returns nanoseconds of `count` calls.
double host_loop_calls(Saxpy saxpy, const float* x, const float* y, float* z, float a, long long n, int count) {
  const double begin = now();
  for (int i = 0; i < count; ++i) saxpy(x, y, z, a, n);
  return now() - begin;
}

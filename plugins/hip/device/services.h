// What a kernel asks of its surroundings: memory, clocks, printing, ends with an error.
#pragma once

KMUX_DEVICE void* memcpy(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
KMUX_DEVICE void* memmove(void* to, const void* from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
KMUX_DEVICE void* memset(void* to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
KMUX_DEVICE int memcmp(const void* a, const void* b, size_t bytes) {
  const unsigned char* const x = static_cast<const unsigned char*>(a);
  const unsigned char* const y = static_cast<const unsigned char*>(b);
  for (size_t i = 0; i < bytes; ++i) {
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  }
  return 0;
}
#define alloca(bytes) __builtin_alloca(bytes)
KMUX_REFUSED("the heap is a service of HIP's runtime") void* malloc(size_t bytes);
KMUX_REFUSED("the heap is a service of HIP's runtime") void free(void* memory);

// Cycles of the device.
#define KMUX_CLOCKS
typedef long clock_t;
KMUX_DEVICE long long clock64() { return static_cast<long long>(__builtin_readcyclecounter()); }
KMUX_DEVICE clock_t clock() { return static_cast<clock_t>(__builtin_readcyclecounter()); }
KMUX_REFUSED("HIP has __builtin_amdgcn_s_sleep") void __nanosleep(unsigned nanoseconds);

// What prints is a service of HIP's runtime that AMD's device library asks for: hiprtc has it. Beside the host's of <cstdio>;
// an error only where code for the device calls it.
template <class... Values>
__device__ __attribute__((error(
    "Clang with kmux's headers has no printf for AMD's devices. Remove it, or compile with option engine=hiprtc"))) int
printf(const char* format, Values... values);

// A failed assert ends the launch as __trap does, without its text. The host's <cassert> calls the same function.
KMUX_DEVICE void __trap() { __builtin_trap(); }
extern "C" __device__ __attribute__((weak, noinline)) void __assert_fail(const char* what, const char* file,
                                                                         unsigned line, const char* function) {
  __builtin_trap();
}
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(...) ((__VA_ARGS__) ? (void)0 : __assert_fail(#__VA_ARGS__, __FILE__, __LINE__, ""))
#endif

// The device library asks which device it is compiled for.
#ifdef KMUX_ISA_VERSION
extern "C" {
extern const __constant__ unsigned __oclc_ISA_version;
const __constant__ unsigned __oclc_ISA_version = KMUX_ISA_VERSION;
}
#endif

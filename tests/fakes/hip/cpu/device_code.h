// The prelude of a kernel for the HIP on the CPU, after blocks.h and the HIP support of the backend for CPUs. Not part
// of the library: its text is embedded.
#pragma once

#include <cuda_fp16.h>

#define __HIP_ON_CPU__ 1

#ifdef KMUX_HAS_MEETINGS
#define __syncthreads() (kmux_waits_for_block(), __syncthreads())
#define __shfl(...) (kmux_waits_for_warp(), __shfl(__VA_ARGS__))
#define __shfl_up(...) (kmux_waits_for_warp(), __shfl_up(__VA_ARGS__))
#define __shfl_down(...) (kmux_waits_for_warp(), __shfl_down(__VA_ARGS__))
#define __shfl_xor(...) (kmux_waits_for_warp(), __shfl_xor(__VA_ARGS__))
#define __ballot(...) (kmux_waits_for_warp(), __ballot(__VA_ARGS__))
#define __any(...) (kmux_waits_for_warp(), __any(__VA_ARGS__))
#define __all(...) (kmux_waits_for_warp(), __all(__VA_ARGS__))
#endif

// Writes the address of a variable and its bytes to arguments[0].
KMUX_DEVICE void kmux_tell_place(kmux_launch* launch, const volatile void* address, unsigned long long bytes) {
  unsigned long long* const out = static_cast<unsigned long long*>(launch->arguments[0]);
  out[0] = reinterpret_cast<unsigned long long>(address);
  out[1] = bytes;
}

// Calls a kernel with the arguments of a launch, and reports their sizes.
template <auto kernel>
struct kmux_kernel;
template <class T, T...>
struct kmux_numbers {};
template <class... A, void (*kernel)(A...)>
struct kmux_kernel<kernel> {
  KMUX_DEVICE void run(void* const* arguments) {
    call(arguments, __make_integer_seq<kmux_numbers, int, sizeof...(A)>());
  }

  // Writes the number of arguments and the bytes of each to arguments[0], in a row of `kmux_row` numbers for each
  // kernel.
  static constexpr unsigned kmux_row = 1025;
  KMUX_DEVICE void tell_sizes(kmux_launch* launch, unsigned row) {
    unsigned* out = static_cast<unsigned*>(launch->arguments[0]) + row * kmux_row;
    *out++ = sizeof...(A);
    ((*out++ = sizeof(A)), ...);
  }

 private:
  template <int... all>
  KMUX_DEVICE void call([[maybe_unused]] void* const* arguments, kmux_numbers<int, all...>) {
    kernel(*static_cast<__remove_cvref(A)*>(arguments[all])...);
  }
};

// The end of what halves.h begins.
#pragma once
#undef KMUX_T
#undef KMUX_T2
#undef KMUX_NAME
#undef KMUX_HAS_OPERATORS

// A pair is added in two steps, as CUDA does it.
KMUX_DEVICE half2 atomicAdd(half2* address, half2 value) {
  half* const both = reinterpret_cast<half*>(address);
  return half2{atomicAdd(both, value.x), atomicAdd(both + 1, value.y)};
}

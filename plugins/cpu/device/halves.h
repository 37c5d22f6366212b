// Numbers of 16 bits.
#pragma once

KMUX_DEVICE half __float2half(float x) { return static_cast<half>(x); }
KMUX_DEVICE half __float2half_rn(float x) { return static_cast<half>(x); }
KMUX_DEVICE float __half2float(half x) { return static_cast<float>(x); }
KMUX_DEVICE __nv_bfloat16 __float2bfloat16(float x) { return static_cast<__nv_bfloat16>(x); }
KMUX_DEVICE float __bfloat162float(__nv_bfloat16 x) { return static_cast<float>(x); }

// Halves and pairs of them. What the hardware does in 16 bits is done so, the rest in 32: what half has as bfloat16 has it is
// in plugins/simt/frontend/device/sixteen.h, which comes next and is read with these names.
#pragma once

typedef _Float16 half2 __attribute__((ext_vector_type(2)));
typedef half2 __half2;

KMUX_DEVICE unsigned short kmux_bits(half x) { return __builtin_bit_cast(unsigned short, x); }
KMUX_DEVICE half kmux_of_bits(unsigned short bits, half) { return __builtin_bit_cast(half, bits); }
// Without a fraction, in a smaller type; as conversions.h has it.
KMUX_DEVICE int kmux_as_integer(float x, int) { return __float2int_rz(x); }
KMUX_DEVICE unsigned kmux_as_integer(float x, unsigned) { return __float2uint_rz(x); }
KMUX_DEVICE long long kmux_as_integer(float x, long long) { return __float2ll_rz(x); }
KMUX_DEVICE unsigned long long kmux_as_integer(float x, unsigned long long) { return __float2ull_rz(x); }
KMUX_DEVICE short kmux_as_integer(float x, short) { return static_cast<short>(x); }
KMUX_DEVICE unsigned short kmux_as_integer(float x, unsigned short) { return static_cast<unsigned short>(x); }

KMUX_DEVICE half __hfma(half x, half y, half z) { return __builtin_fmaf16(x, y, z); }
KMUX_DEVICE half2 __half2half2(half x) { return half2{x, x}; }

#define KMUX_T half
#define KMUX_T2 half2
#define KMUX_NAME(before, after) before##half##after
#define KMUX_HAS_OPERATORS  // of the compiler's

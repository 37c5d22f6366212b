#pragma once

#include <stdint.h>

#include "kmux/dlpack.h"

namespace kmux {

// Names of devices, names and compatibility of element types. Also printed into libraries that run without kmux: must
// use C++17 and libc only.

struct DTypeName {
  const char* text;
  uint8_t code;
  uint8_t bits;
};

// The canonical names, one per type.
inline constexpr DTypeName kDTypeNames[] = {
    {"bool", kDLBool, 8},
    {"int1", kDLInt, 1},
    {"int2", kDLInt, 2},
    {"int4", kDLInt, 4},
    {"int8", kDLInt, 8},
    {"int16", kDLInt, 16},
    {"int32", kDLInt, 32},
    {"int64", kDLInt, 64},
    {"uint1", kDLUInt, 1},
    {"uint2", kDLUInt, 2},
    {"uint4", kDLUInt, 4},
    {"uint8", kDLUInt, 8},
    {"uint16", kDLUInt, 16},
    {"uint32", kDLUInt, 32},
    {"uint64", kDLUInt, 64},
    {"float16", kDLFloat, 16},
    {"float32", kDLFloat, 32},
    {"float64", kDLFloat, 64},
    {"bfloat16", kDLBfloat, 16},
    {"complex64", kDLComplex, 64},
    {"complex128", kDLComplex, 128},
    {"handle", kDLOpaqueHandle, 64},
    {"float8_e3m4", kDLFloat8_e3m4, 8},
    {"float8_e4m3", kDLFloat8_e4m3, 8},
    {"float8_e4m3b11fnuz", kDLFloat8_e4m3b11fnuz, 8},
    {"float8_e4m3fn", kDLFloat8_e4m3fn, 8},
    {"float8_e4m3fnuz", kDLFloat8_e4m3fnuz, 8},
    {"float8_e5m2", kDLFloat8_e5m2, 8},
    {"float8_e5m2fnuz", kDLFloat8_e5m2fnuz, 8},
    {"float8_e8m0fnu", kDLFloat8_e8m0fnu, 8},
    {"float6_e2m3fn", kDLFloat6_e2m3fn, 6},
    {"float6_e3m2fn", kDLFloat6_e3m2fn, 6},
    {"float4_e2m1fn", kDLFloat4_e2m1fn, 4},
};

/// Returns the name of the element type, ignoring lanes; null if it has no name.
inline const char* dtype_name(DLDataType type) {
  for (const DTypeName& name : kDTypeNames) {
    if (name.code == type.code && name.bits == type.bits) return name.text;
  }
  return nullptr;
}

inline bool is_integer(DLDataType type) { return type.code == kDLInt || type.code == kDLUInt; }
inline bool is_same(DLDataType a, DLDataType b) { return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes; }
inline int64_t total_bits(DLDataType type) { return int64_t{type.bits} * type.lanes; }

inline bool is_e4m3(DLDataType type) {
  return type.code == kDLFloat8_e4m3 || type.code == kDLFloat8_e4m3fn || type.code == kDLFloat8_e4m3fnuz;
}

inline bool is_e5m2(DLDataType type) { return type.code == kDLFloat8_e5m2 || type.code == kDLFloat8_e5m2fnuz; }

inline bool is_byte_or_bool(DLDataType type) { return type.bits == 8 && (type.code == kDLBool || is_integer(type)); }

inline bool is_compatible(DLDataType expected, DLDataType actual) {
  if (is_same(expected, actual)) return true;
  if (expected.bits < 8 && actual.bits < 8) return total_bits(expected) == total_bits(actual);
  if (expected.lanes != actual.lanes || expected.bits != actual.bits) return false;
  if (is_byte_or_bool(expected) && is_byte_or_bool(actual)) return expected.code == kDLBool || actual.code == kDLBool;
  return (is_e4m3(expected) && is_e4m3(actual)) || (is_e5m2(expected) && is_e5m2(actual));
}

/// Returns the number of elements of `type` in a byte if it is a sub-byte type that fills bytes, else 1.
inline uint8_t packing_of(DLDataType type) {
  const int64_t bits = total_bits(type);
  return bits > 0 && bits < 8 && 8 % bits == 0 ? static_cast<uint8_t>(8 / bits) : uint8_t{1};
}

/// Returns true if `actual` (a byte, or a vector of one byte) can store elements of the sub-byte type `expected`.
inline bool is_storage_of(DLDataType expected, DLDataType actual) {
  if (packing_of(expected) == 1 || total_bits(actual) != 8) return false;
  const bool is_byte = is_integer(actual) && actual.lanes == 1;
  const bool is_vector = actual.code == expected.code && actual.bits == expected.bits;
  return is_byte || is_vector;
}

/// Returns the name of a device type; null for one that DLPack does not define.
inline const char* device_type_name(int type) {
  switch (type) {
    case kDLCPU:
      return "cpu";
    case kDLCUDA:
      return "cuda";
    case kDLCUDAHost:
      return "cuda_host";
    case kDLOpenCL:
      return "opencl";
    case kDLVulkan:
      return "vulkan";
    case kDLMetal:
      return "metal";
    case kDLVPI:
      return "vpi";
    case kDLROCM:
      return "rocm";
    case kDLROCMHost:
      return "rocm_host";
    case kDLExtDev:
      return "ext_dev";
    case kDLCUDAManaged:
      return "cuda_managed";
    case kDLOneAPI:
      return "oneapi";
    case kDLWebGPU:
      return "webgpu";
    case kDLHexagon:
      return "hexagon";
    case kDLMAIA:
      return "maia";
    case kDLTrn:
      return "trn";
    default:
      return nullptr;
  }
}

}  // namespace kmux

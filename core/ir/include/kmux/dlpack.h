#pragma once

// The structs of DLPack 1.x, written from its specification (https://dmlc.github.io/dlpack). Debian's package is 0.6,
// which lacks DLManagedTensorVersioned. If an application includes its own DLPack 1.x first, that one is used.

#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#include <stddef.h>
#include <stdint.h>

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1UL << 2UL)

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the layout of an exported tensor; only a different major version is incompatible.
typedef struct {
  uint32_t major;  // a different one has a different ABI
  uint32_t minor;  // a newer one only adds
} DLPackVersion;

typedef enum {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLOpenCL = 4,
  kDLVulkan = 7,
  kDLMetal = 8,
  kDLVPI = 9,
  kDLROCM = 10,
  kDLROCMHost = 11,
  kDLExtDev = 12,
  kDLCUDAManaged = 13,
  kDLOneAPI = 14,
  kDLWebGPU = 15,
  kDLHexagon = 16,
  kDLMAIA = 17,
  kDLTrn = 18
} DLDeviceType;

/// A device: its type and its ordinal among devices of that type.
typedef struct {
  DLDeviceType device_type;  // the kind
  int32_t device_id;  // ordinal within the kind
} DLDevice;

typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLOpaqueHandle = 3U,
  kDLBfloat = 4U,
  kDLComplex = 5U,
  kDLBool = 6U,
  kDLFloat8_e3m4 = 7U,
  kDLFloat8_e4m3 = 8U,
  kDLFloat8_e4m3b11fnuz = 9U,
  kDLFloat8_e4m3fn = 10U,
  kDLFloat8_e4m3fnuz = 11U,
  kDLFloat8_e5m2 = 12U,
  kDLFloat8_e5m2fnuz = 13U,
  kDLFloat8_e8m0fnu = 14U,
  kDLFloat6_e2m3fn = 15U,
  kDLFloat6_e3m2fn = 16U,
  kDLFloat4_e2m1fn = 17U
} DLDataTypeCode;

/// The type of an element: a DLDataTypeCode, the bits of a lane, and the lanes (1 for a scalar).
typedef struct {
  uint8_t code;  // DLDataTypeCode
  uint8_t bits;  // of one lane
  uint16_t lanes;  // 1: not a vector
} DLDataType;

/// A view of memory owned elsewhere. Strides are in elements; a null pointer to them means contiguous.
typedef struct {
  void* data;  // `byte_offset` before the first element
  DLDevice device;  // where `data` is
  int32_t ndim;  // number of dimensions
  DLDataType dtype;  // of an element
  int64_t* shape;  // `ndim` extents
  int64_t* strides;  // in elements; null: row-major without gaps
  uint64_t byte_offset;  // from `data` to the first element
} DLTensor;

/// A tensor with its owner, in the form from before DLPack 1.0. The consumer must call `deleter`, unless null, once.
typedef struct DLManagedTensor {
  DLTensor dl_tensor;  // borrowed by the consumer
  void* manager_ctx;  // of the owner
  void (*deleter)(struct DLManagedTensor* self);  // called once, by the last reader
} DLManagedTensor;

/// A tensor with its owner, version and flags (DLPACK_FLAG_BITMASK_...). The consumer must call `deleter`, unless null,
/// once.
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;  // read before the other members
  void* manager_ctx;  // of the owner
  void (*deleter)(struct DLManagedTensorVersioned* self);  // called once, by the last reader
  uint64_t flags;  // DLPACK_FLAG_BITMASK_...
  DLTensor dl_tensor;  // borrowed by the consumer
} DLManagedTensorVersioned;

#ifdef __cplusplus
}
#endif

#endif  // DLPACK_DLPACK_H_

#if !defined(DLPACK_MAJOR_VERSION) || DLPACK_MAJOR_VERSION < 1
#error "kmux needs DLPack 1.x. Include <kmux/dlpack.h> before an older dlpack.h, or update that one."
#endif

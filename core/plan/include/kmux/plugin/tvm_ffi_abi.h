/* The part of TVM-FFI's C ABI that kmux needs, declared separately in C11. A library that exports functions of type
 * TVMFFISafeCallType needs nothing else and links nothing. An application that also includes <tvm/ffi/c_api.h> must
 * include it first; its declarations are then used.
 *
 * Source: TVM-FFI's documentation of its ABI, version 0.1 (https://tvm.apache.org/ffi/concepts/abi_overview.html). */
#ifndef KMUX_TVM_FFI_ABI_H_
#define KMUX_TVM_FFI_ABI_H_

#include <stddef.h>
#include <stdint.h>

#include "kmux/dlpack.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TVM_FFI_C_API_H_

/* The type of the value in a TVMFFIAny. */
typedef enum {
  kTVMFFINone = 0,
  kTVMFFIInt = 1,
  kTVMFFIBool = 2,
  kTVMFFIFloat = 3,
  kTVMFFIOpaquePtr = 4,
  kTVMFFIDLTensorPtr = 7,
  kTVMFFITensor = 70
} TVMFFITypeIndex;

/* The header of every object. In a tensor object its DLTensor follows. */
typedef struct {
  uint64_t combined_ref_count;  // strong in the low half, weak in the high
  int32_t type_index;  // of its class
  uint32_t padding;  // 0
  void (*deleter)(void* self, int flags);  // of the last reference; `flags` names the counts
} TVMFFIObject;

/* An argument or a result. */
typedef struct {
  int32_t type_index;  // of the value in the union
  uint32_t zero_padding;  // 0, or the length of a small string
  union {
    int64_t v_int64;
    double v_float64;
    void* v_ptr;
    TVMFFIObject* v_obj;
  };
} TVMFFIAny;

/* An exported function. Returns 0, or another number after setting the error. */
typedef int (*TVMFFISafeCallType)(void* handle, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result);

#endif /* TVM_FFI_C_API_H_ */

#ifdef __cplusplus
}
static_assert(sizeof(TVMFFIAny) == 16 && sizeof(TVMFFIObject) == 24, "TVM-FFI's ABI is for machines of 64 bits");
#else
_Static_assert(sizeof(TVMFFIAny) == 16 && sizeof(TVMFFIObject) == 24, "TVM-FFI's ABI is for machines of 64 bits");
#endif

#endif /* KMUX_TVM_FFI_ABI_H_ */

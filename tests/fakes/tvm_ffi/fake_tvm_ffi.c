/* What exported libraries use of libtvm_ffi, recorded. Opened globally, it is what their weak symbols find. */
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static char raised[16384];
static int stream_of[2];
static void* stream = (void*)0x2;

EXPORT void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);
EXPORT void* TVMFFIEnvGetStream(int device_type, int device_id);
EXPORT const char* fake_tvm_ffi_raised(void);
EXPORT void fake_tvm_ffi_set_stream(void* given);
EXPORT const int* fake_tvm_ffi_stream_of(void);

void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message) {
  snprintf(raised, sizeof raised, "%s: %s", kind, message);
}

void* TVMFFIEnvGetStream(int device_type, int device_id) {
  stream_of[0] = device_type;
  stream_of[1] = device_id;
  return stream;
}

/* "KIND: TEXT" of the last error. */
const char* fake_tvm_ffi_raised(void) { return raised; }
void fake_tvm_ffi_set_stream(void* given) { stream = given; }
/* Device type and ordinal that a stream was last asked for. */
const int* fake_tvm_ffi_stream_of(void) { return stream_of; }

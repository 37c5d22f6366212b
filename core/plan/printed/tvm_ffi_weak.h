#pragma once

// Printed into every library that exports functions of TVM-FFI: what is used of libtvm_ffi where a process has it.
//
// Weak: without libtvm_ffi both are null, and the library neither needs nor loads it.
extern "C" {
__attribute__((weak, visibility("default"))) void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);
__attribute__((weak, visibility("default"))) void* TVMFFIEnvGetStream(int device_type, int device_id);
}

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/check_list.h"
#include "kmux/signature.h"

namespace kmux {

/// The names, error texts and accepted memory of a printed function that checks arguments.
struct CheckPrinting {
  std::string prefix = "kmux";      // of every printed name: an identifier
  std::string kernel = {};          // the name in messages
  std::int32_t device_type = 1;     // DLDeviceType of the kernel's memory
  std::vector<std::int32_t> other_device_types = {};  // accepted as well
  std::vector<std::string> trailing = {};             // names of arguments after the signature's, checked elsewhere
};

/// A printed function that checks the arguments of a call.
struct PrintedChecks {
  std::string text;            // C++17
  std::size_t slot_count = 0;  // that `PREFIX_check` fills: those of a call, then the scalars that expressions use
};

/// Prints the checks of `signature`, the same ones in the same order as the runtime, as
///
///   static int PREFIX_check(const TVMFFIAny* args, int32_t count, kmux_slot* slots, int* device, kmux_sink error)
///
/// The function fills `slots` and the device ordinal of the tensors and returns KMUX_OK. On failure it writes the error
/// of the runtime and returns KMUX_INVALID_ARGUMENT. It neither allocates nor locks. `checks_prelude` must precede it.
///
/// Tensors are DLTensor pointers, tensor objects, or None for null; scalars are integers, floats or bools; pointers are
/// opaque pointers, integers, None, or tensors for their address.
/// Errors: as `compile_checks`.
Result<PrintedChecks> emit_checks(const Signature& signature, const CheckPrinting& printing);

/// Returns the C++17 text that printed checks use: DLPack's structs, the needed part of TVM-FFI's C ABI
/// (kmux/plugin/tvm_ffi_abi.h) with weak functions, and `namespace kmux`. `launcher_prelude_for` the rest must precede
/// it.
const std::string& checks_prelude();

/// Returns C11 declarations only, for a header: DLPack's structs and kmux/plugin/tvm_ffi_abi.h.
const std::string& tvm_ffi_declarations();

}  // namespace kmux

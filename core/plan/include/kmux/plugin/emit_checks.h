#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/check_list.h"
#include "kmux/signature.h"

namespace kmux {

/// What a printed function that checks arguments is called, the texts of its errors, and which memory it takes.
struct CheckPrinting {
  std::string prefix = "kmux";      // of every printed name: an identifier
  std::string kernel = {};          // the name in messages
  std::int32_t device_type = 1;     // DLDeviceType of the kernel's memory
  std::vector<std::int32_t> other_device_types = {};  // that it takes too
  std::vector<std::string> trailing = {};             // names of arguments after the signature's, checked elsewhere
};

/// A printed function that checks the arguments of a call.
struct PrintedChecks {
  std::string text;            // C++17
  std::size_t slot_count = 0;  // that `PREFIX_check` fills: those of a call, then the scalars that expressions use
};

/// Prints the checks of `signature`, the ones that the runtime makes, in the order in which it makes them, as
///
///   static int PREFIX_check(const TVMFFIAny* args, int32_t count, kmux_slot* slots, int* device, kmux_sink error)
///
/// which fills `slots` and the ordinal of the device that the tensors are on and returns KMUX_OK, or writes what the
/// runtime would report and returns KMUX_INVALID_ARGUMENT. It neither allocates nor locks. `checks_prelude` comes before it.
///
/// Tensors are DLTensor pointers, tensor objects, or None for null; scalars are integers, floats or bools; pointers are
/// opaque pointers, integers, None, or tensors for their address.
/// Errors: as `compile_checks`.
Result<PrintedChecks> emit_checks(const Signature& signature, const CheckPrinting& printing);

/// C++17 text that printed checks use: DLPack's structs, what is needed of TVM-FFI's C ABI (kmux/plugin/tvm_ffi_abi.h) with its
/// functions weak, and `namespace kmux`. Before it stands `launcher_prelude_for` the others.
const std::string& checks_prelude();

/// C11 declarations alone: DLPack's structs and kmux/plugin/tvm_ffi_abi.h, for a header.
const std::string& tvm_ffi_declarations();

}  // namespace kmux

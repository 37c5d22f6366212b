#pragma once

#include <string_view>

namespace kmux::simt {

// Names that parts of the compiler agree on.

/// The folder of the plugin's own headers for GPU kernels among the files of a job, the same for every job.
inline constexpr std::string_view kDeviceFolder = "kmux-device/";

/// The sign of PTX's registers in inline assembly whose source has one "%" before them; LLVM takes that for an operand.
inline constexpr char kRegisterSign = '`';

/// The variable by which a source points to constant number `constant` of the program. In the object it is the constant
/// itself.
inline constexpr const char* kConstantSymbol = "kmux_constant_";

/// The beginning of the messages by which device/ refuses a construct.
inline constexpr std::string_view kRefusedMark = "not for this processor (";

/// The attribute of a call of inline assembly that was not replaced: the reason, as the end of a sentence about it.
inline constexpr const char* kAssemblyRefusal = "kmux-assembly-refusal";

/// The attribute of a parameter that is a record by value: its size in bytes. The ABI may pass it as another type,
/// often a wider integer, which looks like a number that the source does not have.
inline constexpr const char* kRecordBytes = "kmux-record-bytes";
/// The attribute of such a parameter for the alignment of the record, in bytes.
inline constexpr const char* kRecordAlignment = "kmux-record-alignment";
/// The attribute of such a parameter that is the first of several parts of the record: the number of parts.
inline constexpr const char* kRecordParts = "kmux-record-parts";
/// The attribute of such a parameter that is a CUtensorMap.
inline constexpr const char* kTensorMapRecord = "kmux-tensor-map";

/// The attribute of a kernel that was renamed for its launch: its former symbol, which encodes the parameter types.
inline constexpr const char* kKernelSymbol = "kmux-kernel-symbol";

/// Suffixes of the names of the globals that describe a kernel to the runtime: kmux_cpu_kernel, kmux_cpu_fiber_kernel.
inline constexpr const char* kFactsOfBlocks = ".facts";
inline constexpr const char* kFactsOfFibers = ".fibers";

}  // namespace kmux::simt

#pragma once

#include <array>
#include <vector>

#include "kmux/plugin/source_unit.h"

#include "options.h"

namespace kmux::hip {

/// Headers of HIP and CUDA that sources include out of habit: what they declare is in hiprtc, and for Clang in
/// device/builtins.h. In their place stands a header without declarations.
inline constexpr std::array<const char*, 8> kBuiltInHeaders = {
    "hip/hip_runtime.h",    "hip/hip_runtime_api.h", "hip/hip_fp16.h",     "hip/hip_vector_types.h",
    "hip/math_functions.h", "cuda_runtime.h",        "cuda_runtime_api.h", "device_launch_parameters.h"};

/// What hiprtc is given to include: the files of `unit`, and those of `kBuiltInHeaders` that neither these nor a folder of
/// `options` have.
///
/// Source: ROCm's clr, RTCCompileProgram::addHeader, which refuses a header without content: it is an empty line here.
std::vector<File> files_for_hiprtc(const SourceUnit& unit, const BuildOptions& options);

/// Does `unit` include, as `#include <name>`, a header that `files_for_hiprtc` and the folders of `options` have not? It is
/// the machine's then (<cstdint>), which hiprtc does not find or cannot compile beside what it has built in.
///
/// No `#if` is looked at, so the answer may be yes for what is left out.
bool includes_others(const SourceUnit& unit, const BuildOptions& options);

}  // namespace kmux::hip

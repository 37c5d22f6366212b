// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kmux/dispatch.h"

namespace kmux::cpu {

/// The architecture that sources of dialect cuda are compiled for: the value of `__CUDA_ARCH__` and its like.
///
/// Example: {900, true} for sm_90a.
struct CudaArch {
  int number = 700;
  bool is_specific = false;  // it has instructions that no later architecture has

  /// Returns true if the program requires it. Sources of other programs are compiled for 700.
  bool is_required() const { return number > 700; }
  bool operator==(const CudaArch&) const = default;
};

/// Returns the first architecture of sm_80 to sm_90a that `variant` requires. The dialect must be cuda.
CudaArch cuda_arch_of(const Variant& variant);

/// Returns "sm_90a" for {900, true}.
std::string name_of(CudaArch arch);

/// Returns the lines that select `arch` in device/threads.h; none for 700.
std::string arch_macros(CudaArch arch);

}  // namespace kmux::cpu

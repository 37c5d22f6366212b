// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/TargetParser/Triple.h"

namespace kmux::simt {

/// Returns the C++ `text` with letters of `machine` in place of PTX's in the operand lists of its inline assembly: for
/// registers of the same types. Lines and columns do not change.
///
/// Clang checks each constraint against the processor that it compiles for. x86-64 has no "h", and its "f" is another
/// register.
///
/// Example: `asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));` has "=r" and "x" on x86-64.
std::string with_host_constraints(llvm::StringRef text, const llvm::Triple& machine);

/// Returns `files` with the contents that `with_host_constraints` returns for them.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> with_host_constraints(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files, const llvm::Triple& machine);

}  // namespace kmux::simt

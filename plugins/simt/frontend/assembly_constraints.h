#pragma once

#include <string>

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/TargetParser/Triple.h"

namespace kmux::simt {

/// Returns `text`, C++, with the letters of PTX's registers in the operand lists of its inline assembly replaced by
/// letters for registers that `machine` has for the same types. Lines and columns do not change.
///
/// Clang checks each constraint against the processor that it compiles for, which has no "h" and takes "f" for another
/// register.
///
/// Example: `asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));` has "=r" and "x" on x86-64.
std::string with_host_constraints(llvm::StringRef text, const llvm::Triple& machine);

/// Returns `files` with the contents that `with_host_constraints` returns for them.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> with_host_constraints(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files, const llvm::Triple& machine);

}  // namespace kmux::simt

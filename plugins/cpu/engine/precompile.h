#pragma once

#include <functional>
#include <memory>
#include <string>

#include "clang/Frontend/CompilerInvocation.h"
#include "engine/preamble_store.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace kmux::cpu {

/// What Clang makes of the input of `invocation`, a preamble, for other sources that begin with it.
///
/// Empty if it has errors or warnings (which would be lost), or once `stopping` says so.
std::string precompile(std::shared_ptr<clang::CompilerInvocation> invocation,
                       const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>& files,
                       const std::function<bool()>& stopping);

/// Makes `invocation` begin with `preamble` instead of the first bytes of its input; returns the files it then needs.
///
/// Lifetime: borrows `preamble`.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> begin_with(
    const Preamble& preamble, clang::CompilerInvocation& invocation,
    const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>& files);

}  // namespace kmux::cpu

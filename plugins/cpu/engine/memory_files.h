#pragma once

#include <span>

#include "kmux/dispatch.h"

#include "llvm/Support/VirtualFileSystem.h"

namespace kmux::cpu {

/// A file system in which relative paths name `files` and absolute ones the machine's own files. So nothing in the
/// process's working directory can take part in a compilation, and messages show the program's own paths.
///
/// Lifetime: borrows the contents of `files`.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> memory_files(std::span<const File> files);

}  // namespace kmux::cpu

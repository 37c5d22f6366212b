#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/json.h"
#include "kmux/plugin/compilation_folder.h"
#include "kmux/plugin/process.h"

namespace kmux {

/// The absolute path of a C++ compiler of this machine, links resolved: `asked`, a name or a path, or else the first of
/// c++, g++, clang++ in PATH. `user` is who needs it, for the message.
///
/// Errors: unavailable if there is none, with what to install.
Result<std::string> find_host_compiler(const std::string& asked, std::string_view user);

/// A run of a compiler, or of what else makes code, that starts in the empty folder of `folder` and has its temporary files there,
/// too. Of the caller's environment it gets PATH and LD_LIBRARY_PATH, without which some compilers do not start, and no more:
/// NVCC_APPEND_FLAGS, CPATH, GCC_EXEC_PREFIX and their like would change code under an unchanged key. It is confined: it reads what
/// `system_reads` has, its own installation and the program, and writes into that folder; callers add folders of headers.
Command compiler_command(std::vector<std::string> argv, const CompilationFolder& folder);

/// Returns the LD_LIBRARY_PATH that `compiler_command` passes; empty if there is none.
std::string inherited_library_path();

/// Has the assembler of a C++ compiler look for the files of `.incbin` in `folder`, whatever characters its path has.
void add_assembler_folder(std::vector<std::string>& arguments, const std::string& folder);

/// What identifies the compiler `program`: its file, and what `compiler_command` passes: the assembler and the
/// linker that PATH leads to, and LD_LIBRARY_PATH. Starts no process.
Json identify_compiler(const std::string& program);

}  // namespace kmux

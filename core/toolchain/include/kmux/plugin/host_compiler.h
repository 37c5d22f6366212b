#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/json.h"
#include "kmux/plugin/compilation_folder.h"
#include "kmux/plugin/process.h"

namespace kmux {

/// Returns the absolute path of a C++ compiler of this machine, links resolved: `asked`, a name or path, or else the
/// first of c++, g++, clang++ in PATH. `user` names the feature that needs it, for the message.
///
/// Errors: unavailable if none is found, with installation advice.
Result<std::string> find_host_compiler(const std::string& asked, std::string_view user);

/// Returns a command that runs a compiler or another code generator in the empty folder of `folder`, with its temporary
/// files in the scratch folder. It inherits only PATH and LD_LIBRARY_PATH, without which some compilers do not start:
/// NVCC_APPEND_FLAGS, CPATH, GCC_EXEC_PREFIX and similar variables would change code under an unchanged key. It is
/// confined: it reads `system_reads`, its installation and the program, and writes to its own and scratch folders and
/// `user_writes`. Callers must add header folders.
Command compiler_command(std::vector<std::string> argv, const CompilationFolder& folder);

/// Returns the LD_LIBRARY_PATH that `compiler_command` passes on; empty if none.
std::string inherited_library_path();

/// Makes a C++ compiler's assembler search `folder` for `.incbin` files, whatever characters its path has.
void add_assembler_folder(std::vector<std::string>& arguments, const std::string& folder);

/// Returns the identity of the compiler `program`: its file, and the environment of `compiler_command`: the assembler
/// and linker in PATH, and LD_LIBRARY_PATH. Starts no process.
Json identify_compiler(const std::string& program);

}  // namespace kmux

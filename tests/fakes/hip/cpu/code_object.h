#pragma once

#include <string>
#include <vector>

#include "kmux/error.h"

namespace kmux::fake_hip {

/// The substitute for a code object: an ELF file for this machine with its kernels and a table of their writable
/// variables.
struct CodeObject {
  std::string arch;
  std::vector<std::string> kernels;  // by name, in the order in which they were compiled
  std::string compiled;  // GridCode's
  std::vector<std::string> variables = {};  // by name, as the kernels
};

std::string pack(const CodeObject& code);

/// Returns true if `code` is an ELF file. HIP's interface passes no size.
bool is_code(const void* code);
bool is_for_this_machine(const void* code);

/// Errors: invalid_argument for a file that `pack` did not make.
Result<CodeObject> unpack(const void* code);

}  // namespace kmux::fake_hip

#pragma once

#include <string>

#include "kmux/error.h"
#include "kmux/plugin/dynamic_library.h"

namespace kmux::test {

/// Checks `code` with the C++ compiler of this build, with every warning as an error. Writes no output.
///
/// Errors: compile_failed with the compiler's text.
Status check_syntax(const std::string& code);

/// Compiles `code` and returns the loaded library. Undefined behaviour in it traps.
///
/// Errors: compile_failed with the compiler's text.
Result<DynamicLibrary> compile(const std::string& code);

}  // namespace kmux::test

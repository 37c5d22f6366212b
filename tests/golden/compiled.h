#pragma once

#include <string>

#include "kmux/error.h"
#include "kmux/plugin/dynamic_library.h"

namespace kmux::test {

/// Runs the C++ compiler of this build on `code` with every warning as an error, without making anything.
///
/// Errors: compile_failed with the compiler's text.
Status check_syntax(const std::string& code);

/// `code` as a loaded library. Undefined behaviour in it traps.
///
/// Errors: compile_failed with the compiler's text.
Result<DynamicLibrary> compile(const std::string& code);

}  // namespace kmux::test

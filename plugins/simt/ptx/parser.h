#pragma once

#include <string_view>

#include "kmux/error.h"

#include "simt/ptx/statement.h"

namespace kmux::simt::ptx {

/// Parses `text`, the string of an inline assembly in LLVM IR, in time linear in its length. Statements end with ";",
/// or at the end of a line that completes one.
///
/// Errors: unsupported for other text, with the place in it.
/// Limits: braces nest 32 deep, and a text has 65,536 registers.
Result<Text> parse(std::string_view text);

}  // namespace kmux::simt::ptx

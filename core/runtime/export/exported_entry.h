#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"

namespace kmux {

/// What an exported library is made of, besides its code.
struct ExportedFacts {
  std::string backend;
  std::string target;
  std::int32_t device_type = 1;                       // DLDeviceType
  std::vector<std::int32_t> other_device_types = {};  // whose memory it takes too
};

/// The functions that the library of a program exports, in alphabetical order.
std::vector<std::string> exported_symbols(const std::string& name);

/// A C++17 unit with the exported functions: the checks, and calls of `kmux_standalone_...`, which a backend's unit has.
///
/// Errors: as `emit_checks`.
Result<std::string> exported_entry(const Program& program, const ExportedFacts& facts);

/// A C11 header that declares them, and one function that is called with the program's parameters.
std::string exported_header(const Program& program, const ExportedFacts& facts);

}  // namespace kmux

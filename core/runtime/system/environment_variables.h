#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux {

/// A variable with the prefix KMUX_ that some part of kmux reads.
struct EnvironmentVariable {
  enum class Kind {
    kText,    // its reader rejects invalid values
    kSwitch,  // "kmux/plugin/switch_word.h" reads it
    kPrefix,  // of a family of names
    kPath,    // names a file or a folder that must exist
  };

  std::string_view name;
  Kind kind = Kind::kText;
};

/// Returns the variables that exist regardless of the installed plugins, as listed in docs/environment.md. A plugin's
/// variables are in its manifest.
std::span<const EnvironmentVariable> environment_variables();

/// Returns the number of bytes in `text`, the value of the setting `name`: digits, then optionally K, M, G or T, each
/// 1024 of the previous unit.
///
/// Errors: invalid_argument that names the setting.
Result<std::uint64_t> parse_byte_size(const std::string& name, const std::string& text);

}  // namespace kmux

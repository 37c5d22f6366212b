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
    kSwitch,  // on or off
    kPrefix,  // of a family of names
  };

  std::string_view name;
  Kind kind = Kind::kText;
};

/// Returns the variables that exist regardless of the installed plugins, as listed in docs/environment.md. A plugin's
/// variables are in its manifest.
std::span<const EnvironmentVariable> environment_variables();

/// Returns true if `value` switches a variable of kind kSwitch on. "0", "false", "no", "off" and "" leave it off. Case
/// is ignored.
bool is_on(std::string_view value);

/// Returns true if `value` is a valid value of a switch.
bool is_switch(std::string_view value);

/// Returns the number of bytes in `text`, the value of the setting `name`: digits, then optionally K, M, G or T, each
/// 1024 of the previous unit.
///
/// Errors: invalid_argument that names the setting.
Result<std::uint64_t> parse_byte_size(const std::string& name, const std::string& text);

}  // namespace kmux

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux {

/// A variable whose name begins with KMUX_ and that something of kmux reads.
struct EnvironmentVariable {
  enum class Kind {
    kText,    // its reader refuses what it does not understand
    kSwitch,  // on or off
    kPrefix,  // of a family of names
  };

  std::string_view name;
  Kind kind = Kind::kText;
};

/// Those that do not depend on what plugins are there, as docs/environment.md lists them; a plugin's stand in its manifest.
std::span<const EnvironmentVariable> environment_variables();

/// What switches a variable of kind kSwitch on; "0", "false", "no", "off" and "" leave it off. In any case of letters.
bool is_on(std::string_view value);

/// Whether `value` says on or off.
bool is_switch(std::string_view value);

/// The number of bytes that `text`, the value of the setting `name`, is: digits, then K, M, G or T for 1024 of the one
/// before.
///
/// Errors: invalid_argument that names the setting.
Result<std::uint64_t> parse_byte_size(const std::string& name, const std::string& text);

}  // namespace kmux

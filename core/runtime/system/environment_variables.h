#pragma once

#include <span>
#include <string_view>

namespace kmux {

/// A variable whose name begins with KMUX_ and that something of kmux reads.
struct EnvironmentVariable {
  enum class Kind {
    kText,    // whoever uses it refuses what it does not understand
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

}  // namespace kmux

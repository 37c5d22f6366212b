#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux {

/// The absolute path of a C++ compiler of this machine, links resolved: `asked`, a name or a path, or else the first of
/// c++, g++, clang++ in PATH. `user` is who needs it, for the message.
///
/// Errors: unavailable if there is none, with what to install.
Result<std::string> find_host_compiler(const std::string& asked, std::string_view user);

/// What is added to a compiler's environment: messages in English, and none of the variables that would add folders to
/// the search for headers.
const std::map<std::string, std::string>& compiler_environment();

}  // namespace kmux

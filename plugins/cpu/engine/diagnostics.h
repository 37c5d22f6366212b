#pragma once

#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux::cpu {

/// The first line of `log` that is an error, for a message of one line; empty if there is none.
std::string_view first_error(std::string_view log);

/// compile_failed for the compiler's text `log`, which becomes note "log".
Error compile_error(std::string_view what, std::string_view log);

}  // namespace kmux::cpu

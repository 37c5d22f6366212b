#pragma once

#include <string>
#include <string_view>

#include "kmux/dispatch.h"
#include "kmux/error.h"

namespace kmux {

/// The first line of a compiler's text `log` that is an error, for a message of one line; empty if there is none.
///
/// Lifetime: borrows `log`.   Threads: any.
std::string_view first_error(std::string_view log);

/// compile_failed for the compiler's text `log`, which becomes note "log".
///
/// Threads: any.
Error compile_error(std::string_view what, std::string_view log);

/// `error` with a sentence about the header packages that the sources need, if a compiler did not find a header and
/// the settings name some.
Error with_include_hint(Error error, const Settings& settings);

}  // namespace kmux

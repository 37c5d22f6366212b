#pragma once

#include <string>
#include <string_view>

#include "kmux/dispatch.h"
#include "kmux/error.h"

namespace kmux {

/// Returns the first error line of a compiler's output `log`, for one-line messages; empty if it has none.
///
/// Lifetime: borrows `log`.   Threads: any.
std::string_view first_error(std::string_view log);

/// Returns a compile_failed error for a compiler's output `log`, which becomes note "log".
///
/// Threads: any.
Error compile_error(std::string_view what, std::string_view log);

/// Returns `error`, extended by a sentence about the required header packages if a compiler did not find a header and
/// the settings name some.
Error with_include_hint(Error error, const Settings& settings);

}  // namespace kmux

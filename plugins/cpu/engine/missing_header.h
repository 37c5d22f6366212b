#pragma once

#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux::cpu {

/// The header that the compiler's text `log` says was not found; empty if none.
std::string_view missing_header(std::string_view log);

/// What to do about the system header `name`; empty if it belongs neither to Clang nor to C or C++.
std::string advice_for_header(std::string_view name);

/// `error` with that advice, if its `log` names such a header.
Error with_advice(Error error, std::string_view log);

}  // namespace kmux::cpu

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux::simt {

/// Returns the error for a device source that uses a construct that only a GPU has, from the compiler's text `log`. It
/// names the construct, file and line of the first error; empty if that error is of another kind. Headers of device/
/// refuse by #error; check_text finds the functions that they refuse.
std::optional<Error> refusal_of(std::string_view log);

/// Returns the error for the source `path` of a device dialect, from the compiler's text `log`. An error in a header of
/// device/ is reported with the file and line of the program that requested the code in error.
Error device_error(const std::string& path, std::string_view log);

}  // namespace kmux::simt

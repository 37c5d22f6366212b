#pragma once

#include <string>

#include "kmux/error.h"

namespace kmux::cli {

/// What stderr says of `error`, with a line break at its end: at most five lines unless `show_whole_errors` was called or
/// KMUX_VERBOSE is on.
std::string error_text(const Error& error);

/// For --verbose. Threads: before there are others.
void show_whole_errors();

}  // namespace kmux::cli

#pragma once

#include <functional>
#include <string_view>

#include "kmux/export.h"

namespace kmux {

/// How much a message matters.
enum class LogLevel { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3 };

/// Receives one line of log, without a line break. What it throws is dropped, and the line with it.
using LogSink = std::function<void(LogLevel level, std::string_view text)>;

/// Sends lines of `level` and above to `sink` (an empty function: nowhere). Until it is called, warnings and errors go to
/// `stderr_log_sink()`.
///
/// Threads: any; `sink` may be called from any thread, one call at a time.
KMUX_API void set_log_sink(LogLevel level, LogSink sink);

/// A sink that writes "kmux: warning: text" lines to stderr, with control characters escaped; what verbose mode installs.
KMUX_API LogSink stderr_log_sink();

/// Sends a line to the sink in force.
KMUX_API void log(LogLevel level, std::string_view text);

}  // namespace kmux

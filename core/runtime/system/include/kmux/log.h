#pragma once

#include <functional>
#include <string_view>

#include "kmux/export.h"

namespace kmux {

/// The severity of a message.
enum class LogLevel { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3 };

/// Receives one log line, without a line break. An exception that it throws is swallowed, and the line is lost.
using LogSink = std::function<void(LogLevel level, std::string_view text)>;

/// Sends lines of `level` and above to `sink`; an empty function disables logging. By default, warnings and errors go
/// to `stderr_log_sink()`.
///
/// Threads: any; `sink` may be called from any thread, but never by two at once. It may call this function. A line that
///          it logs is dropped; it must not wait for a line of another thread.
KMUX_API void set_log_sink(LogLevel level, LogSink sink);

/// Returns a sink that writes "kmux: warning: text" lines to stderr, with control characters escaped. Verbose mode
/// installs it.
KMUX_API LogSink stderr_log_sink();

/// Sends a line to the current sink.
KMUX_API void log(LogLevel level, std::string_view text);

}  // namespace kmux

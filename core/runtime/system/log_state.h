#pragma once

#include <chrono>

#include "kmux/log.h"

namespace kmux {

/// Installs `sink` unless the application has installed one.
void set_default_log_sink(LogLevel level, const LogSink& sink);

/// From now on only this thread, which ends the process, logs: what a sink uses is destroyed next. Waits until `end` for a
/// sink that another thread is in.
void silence_log(std::chrono::steady_clock::time_point end);

}  // namespace kmux

#pragma once

#include "kmux/log.h"

namespace kmux {

/// Installs `sink` unless the application has installed one.
void set_default_log_sink(LogLevel level, const LogSink& sink);

}  // namespace kmux

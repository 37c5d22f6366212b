#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

namespace kmux {

// Also printed into generated launchers, so it must be C++17 with libc only.

/// The log of a launcher, for events that cannot be errors. If `write` is null, lines are dropped. `level` is as in
/// kmux_host_api.
struct LaunchLog {
  void* self;  // first argument of `write`
  void (*write)(void* self, int level, const char* text, size_t size);  // takes a line
};

/// The values of `level`.
enum LaunchLogLevel { kLogDebug = 0, kLogInfo = 1, kLogWarning = 2, kLogError = 3 };

/// Writes a line to `log`, formatted as by printf.
__attribute__((format(printf, 3, 4), cold)) inline void report(const LaunchLog& log, LaunchLogLevel level,
                                                               const char* format, ...) {
  if (log.write == nullptr) return;
  char text[2048];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  log.write(log.self, level, text, strlen(text));
}

}  // namespace kmux

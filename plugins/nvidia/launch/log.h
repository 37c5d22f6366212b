#pragma once

#include <stddef.h>

namespace kmux::nvidia {

/// Where reports of what a launch could not do as asked go; null drops them. level as in kmux_host_api.
struct Log {
  void* self;
  void (*write)(void* self, int level, const char* text, size_t size);
};

enum LogLevel { kLogDebug = 0, kLogInfo = 1, kLogWarning = 2, kLogError = 3 };

/// Writes a line to `log`, formatted as by printf.
__attribute__((format(printf, 3, 4), cold)) void report(const Log& log, LogLevel level, const char* format, ...);

}  // namespace kmux::nvidia

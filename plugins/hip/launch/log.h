#pragma once

#include <stddef.h>

namespace kmux::hip {

/// Where reports of what cannot be an error go; without `write` they are dropped. level as in kmux_host_api.
struct Log {
  void* self;
  void (*write)(void* self, int level, const char* text, size_t size);
};

enum LogLevel { kLogInfo = 1, kLogWarning = 2 };

}  // namespace kmux::hip

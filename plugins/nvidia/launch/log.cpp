#include "nvidia/launch/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

namespace kmux::nvidia {

void report(const Log& log, LogLevel level, const char* format, ...) {
  if (log.write == nullptr) return;
  char text[2048];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  log.write(log.self, level, text, strlen(text));
}

}  // namespace kmux::nvidia

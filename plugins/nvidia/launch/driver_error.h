#pragma once

#include <stddef.h>

#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// Where reports of what a launch could not do as asked go; null drops them. level as in kmux_host_api.
struct Log {
  void* self;
  void (*write)(void* self, int level, const char* text, size_t size);
};

enum LogLevel { kLogDebug = 0, kLogInfo = 1, kLogWarning = 2, kLogError = 3 };

/// Writes a line to `log`, formatted as by printf.
__attribute__((format(printf, 3, 4), cold)) void report(const Log& log, LogLevel level, const char* format, ...);

/// Writes to `error`, formatted as by printf, and returns `code`: how the functions here fail.
__attribute__((format(printf, 3, 4), cold)) int fail(kmux_sink error, int code, const char* format, ...);

/// Writes that the driver's function `call` gave `result`, in the form "CALL failed with NUMBER NAME (text; detail). What
/// to do.", and returns the ErrorCode for it. The detail is formatted as by printf; none if it is empty.
__attribute__((format(printf, 5, 6), cold)) int fail_call(const DriverTable& driver, kmux_sink error, const char* call,
                                                          CUresult result, const char* format, ...);

/// The driver's name for `result`, "unknown" if it has none.
const char* error_name_of(const DriverTable& driver, CUresult result);

/// The driver's words for `result`, "unknown" if it has none.
const char* error_text_of(const DriverTable& driver, CUresult result);

/// The ErrorCode for `result`: unavailable if the machine lacks something now, unsupported or invalid_argument if a
/// device cannot do what was asked, launch_failed otherwise.
int error_code_of(CUresult result);

/// Whether `result` says that a capture of a stream forbids the call.
bool says_capturing(CUresult result);

}  // namespace kmux::nvidia

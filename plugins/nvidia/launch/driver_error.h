#pragma once

#include "kmux/plugin/launch_log.h"

#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

using Log = LaunchLog;
using LogLevel = LaunchLogLevel;

/// Writes an error to `error`, formatted as by printf, and returns `code`.
__attribute__((format(printf, 3, 4), cold)) int fail(kmux_sink error, int code, const char* format, ...);

/// Writes that the driver's function `call` returned `result`, in the form "CALL failed with NUMBER NAME (text;
/// detail). What to do." Returns the ErrorCode for `result`. The detail is formatted as by printf, and left out if it
/// is empty.
__attribute__((format(printf, 5, 6), cold)) int fail_call(const DriverTable& driver, kmux_sink error, const char* call,
                                                          CUresult result, const char* format, ...);

/// Returns the driver's name for `result`, or "unknown".
const char* error_name_of(const DriverTable& driver, CUresult result);

/// Returns the driver's text for `result`, or "unknown".
const char* error_text_of(const DriverTable& driver, CUresult result);

/// Returns the ErrorCode for `result`: unavailable if the machine lacks a resource now, unsupported or invalid_argument
/// if a device cannot meet the request, launch_failed otherwise.
int error_code_of(CUresult result);

/// Returns true if `result` means that a stream capture forbids the call.
bool says_capturing(CUresult result);

}  // namespace kmux::nvidia

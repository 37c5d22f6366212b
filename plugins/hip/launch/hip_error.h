#pragma once

#include <stddef.h>
#include <string>

#include "kmux/plugin/plugin.h"

#include "launch/hip_table.h"

namespace kmux::hip {

/// Where reports of what cannot be an error go; without `write` they are dropped. level as in kmux_host_api.
struct Log {
  void* self;
  void (*write)(void* self, int level, const char* text, size_t size);
};

enum LogLevel { kLogInfo = 1, kLogWarning = 2 };

/// Writes `text`, a line, to `log`.
void report(const Log& log, LogLevel level, const std::string& text);

/// Writes `text` to `error` and returns `code`.
__attribute__((cold)) int fail(kmux_sink error, int code, const std::string& text);

/// Writes "CALL failed with NUMBER NAME (text; detail). What to do." and returns `error_code_of(result)`.
__attribute__((cold)) int fail_call(const HipTable& hip, kmux_sink error, const char* call, int result,
                                    const std::string& detail);

/// 0 for success, else `fail_call`.
inline int check_call(const HipTable& hip, kmux_sink error, const char* call, int result, const std::string& detail) {
  return result == kHipSuccess ? KMUX_OK : fail_call(hip, error, call, result, detail);
}

/// The ErrorCode that a hipError_t means.
int error_code_of(int result);

/// Is it one of the errors about a capture that is in the way?
bool says_capturing(int result);

/// "3", "hipErrorNotInitialized" as "3 hipErrorNotInitialized".
std::string name_of(const HipTable& hip, int result);

}  // namespace kmux::hip

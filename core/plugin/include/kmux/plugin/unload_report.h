#pragma once

#include <stdio.h>

#include "kmux/plugin/launch_log.h"

namespace kmux {

// Also printed into generated launchers, so it must be C++17 with libc only.

/// Logs the failures of a destructor that unloads the code of a program.
///
/// `Calls` makes the calls of a CUDA-like driver, and has:
/// - `const char* name_of(int result) const`
/// - `static bool forbids_unloading(int result)`: returns true if a capture is in progress, or the driver, the device or
///   its context no longer exists
///
/// Lifetime: borrows `program`.
template <class Calls>
class UnloadReport {
 public:
  /// Copies `calls` and `log`.
  UnloadReport(const Calls& calls, const LaunchLog& log, const char* program)
      : calls_(calls), log_(log), program_(program) {}

  /// Logs that the code stays loaded because a capture has recorded a call.
  void note_captured() const {
    report(log_, kLogInfo, "the code of \"%s\" stays loaded (a capture has recorded a call of it).", program_);
  }

  /// Returns true if the result of `call` forbids unloading. Logs a failure.
  bool forbids(const char* call, int result) const {
    const bool stays = Calls::forbids_unloading(result);
    note(call, result, stays ? "it stays loaded" : "it is unloaded all the same");
    return stays;
  }

  /// Logs the result of `call` with the `outcome`, unless it is a success.
  void note(const char* call, int result, const char* outcome) const {
    if (result == 0) return;
    char failure[256];
    snprintf(failure, sizeof failure, "%s failed with %d %s", call, result, calls_.name_of(result));
    note(failure, outcome);
  }

  /// Logs a `failure` with the `outcome`.
  void note(const char* failure, const char* outcome) const {
    report(log_, kLogWarning, "unloading the code of \"%s\": %s; %s.", program_, failure, outcome);
  }

 private:
  const Calls calls_;
  const LaunchLog log_;
  const char* program_;
};

}  // namespace kmux

#pragma once

#include <atomic>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "kmux/plugin/plugin.h"

namespace kmux {

// Also printed into generated launchers, so it must be C++17 with libc only.

/// Remembers whether a capture has recorded a call of a launcher: its graph launches the code but does not own it, so
/// the code must then stay loaded.
///
/// `Calls` makes the calls of a CUDA-like driver, and has `fail` as for RelaxedCapture and:
/// - `kQuery`: the name of the call that tells whether a stream is captured
/// - `int query(void* stream, int* status) const`: that call. Status 0 means no, 1 that a capture records the stream
/// - `static bool says_capturing(int result)`: returns true if a result means that a capture forbids the call
///
/// Threads: any.
class CaptureWatch {
 public:
  /// The null stream cannot be captured, by either of its handles. Source: CUDA Driver API, cuStreamBeginCapture and
  /// CU_STREAM_LEGACY; HIP Runtime API, hipStreamBeginCapture and hipStreamLegacy.
  static bool can_be_captured(const void* stream) { return reinterpret_cast<uintptr_t>(stream) > 1; }

  /// Returns true if a capture records a call on `stream`, as far as it matters: the code stays loaded, and a replay is
  /// impossible. If the query fails, the launch will report the reason.
  template <class Calls>
  bool is_recorded(const Calls& calls, void* stream, bool replays) {
    if (__builtin_expect(!replays && has_recorded(), 0)) return true;
    int status = 0;
    const int result = calls.query(stream, &status);
    if (__builtin_expect(result == 0 && status == 0, 1)) return false;
    if (result == 0 && status == 1) has_recorded_.store(true, std::memory_order_relaxed);
    return true;
  }
  /// Returns true once a capture has recorded a call.
  bool has_recorded() const { return has_recorded_.load(std::memory_order_relaxed); }

  /// Checks that a first call is not inside a capture, in which code cannot be loaded.
  ///
  /// Errors: launch_failed with advice, or that of the query.
  template <class Calls>
  static int check_first_call(const Calls& calls, void* stream, const char* program, int device, kmux_sink error) {
    int status = 0;
    const int result = calls.query(stream, &status);
    if (result == 0 && status == 0) return KMUX_OK;
    char text[1024];
    if (result != 0 && !Calls::says_capturing(result)) {
      snprintf(text, sizeof text, "the stream of \"%s\" on device %d", program, device);
      return calls.fail(Calls::kQuery, result, text, error);
    }
    snprintf(
        text, sizeof text,
        "the first call of \"%s\" on device %d is inside a capture (its code is not ready yet). Call warm() before "
        "the capture begins.",
        program, device);
    error.write(error.self, text, strlen(text));
    return KMUX_LAUNCH_FAILED;
  }

 private:
  std::atomic<bool> has_recorded_{false};
};

}  // namespace kmux

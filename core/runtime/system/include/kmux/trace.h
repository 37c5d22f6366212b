#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iosfwd>
#include <set>
#include <string>
#include <string_view>

#include "kmux/export.h"

namespace kmux {

/// Starts recording runtime activity: spans of resolve, wrap, build and load; every call of kernels loaded from now on;
/// and spans that plugins report. Drops an earlier recording that `stop_trace` has not returned.
///
/// A kernel loaded while no recording was active is launched without tracing. It costs nothing then, nor after the
/// recording has stopped.
///
/// Threads: any.
KMUX_API void start_trace();

/// One recorded event.
///
/// Lifetime: its texts are owned by the Trace that contains it.
struct TraceEvent {
  char phase = 'X';  // 'X' a span; 'B' and 'E' begin and end of a span from a plugin
  std::string_view category;  // "compile", "call", "plugin"
  std::string_view name;  // the stage, the kernel, or the plugin's text
  std::string_view detail;  // the program, or the plugin
  int thread = 0;  // numbered from 1
  std::int64_t begin_ns = 0;  // on a monotonic clock
  std::int64_t length_ns = 0;  // of a span, else 0
};

/// The text that every written trace begins with.
inline constexpr std::string_view kTraceHead = R"({"displayTimeUnit":"ns","otherData":{"dropped":)";

/// A finished recording, events ordered by end time. Movable, not copyable.
struct KMUX_API Trace {
  std::deque<TraceEvent> events;  // in recording order
  std::size_t dropped = 0;  // events discarded above the limit
  std::set<std::string, std::less<>> texts;  // owned strings that events refer to, each once

  Trace() = default;
  /// Moves the events with their texts. May throw: an empty deque allocates.
  Trace(Trace&&) noexcept(false) = default;
  /// Moves the events with their texts.
  Trace& operator=(Trace&&) noexcept(false) = default;

  /// Writes the events one by one in Trace Event Format, which Perfetto and chrome://tracing open.
  ///
  /// Errors: a failure is reported by the state of `out`.
  /// Source: Trace Event Format, "Complete Events" and "Duration Events".
  void write_to(std::ostream& out) const;
  /// Returns the output of `write_to` as a string.
  std::string to_json() const;
};

/// Stops the recording and returns it; returns an empty Trace if none was active.
///
/// Threads: any.
KMUX_API Trace stop_trace();

/// Returns true while a recording is active.
KMUX_API bool is_tracing() noexcept;

/// A trace span from construction to destruction; no effect while no recording is active. With KMUX_NVTX=1 or
/// KMUX_ROCTX=1 it is also a profiler range, whether or not a recording is active.
///
/// Lifetime: borrows `name`, which must be a string literal.
class KMUX_API TraceSpan {
 public:
  /// Begins the span. `detail` is displayed with it, for example a program or a backend.
  explicit TraceSpan(const char* name, std::string_view detail = "") noexcept;
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;
  ~TraceSpan();

 private:
  const char* name_;  // null: not recorded
  int range_;  // negative: not shown to profilers
  std::string detail_;
  std::int64_t begin_ns_ = 0;
};

}  // namespace kmux

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

/// Begins to record what the runtime does: spans of resolve, wrap, build and load, of every call of the kernels that are
/// loaded from now on, and those of plugins. Whatever was recorded before and not taken is dropped.
///
/// A kernel that was loaded while nothing was recorded is launched as if there were no tracing: then, and when tracing is
/// over, it costs nothing.
///
/// Threads: any.
KMUX_API void start_trace();

/// One thing that happened. Its texts are those of the trace that has it.
struct TraceEvent {
  char phase = 'X';  // 'X' a span, 'B' and 'E' its begin and end, as plugins report them
  std::string_view category;  // "compile", "call", "plugin"
  std::string_view name;  // the stage, the kernel, or the plugin's text
  std::string_view detail;  // the program, or the plugin
  int thread = 0;  // numbered from 1
  std::int64_t begin_ns = 0;  // of a monotonic clock
  std::int64_t length_ns = 0;  // of a span, else 0
};

/// What was recorded, by when it ended: movable, not copyable.
struct KMUX_API Trace {
  std::deque<TraceEvent> events;  // in the order in which they were noted
  std::size_t dropped = 0;  // beyond the limit
  std::set<std::string, std::less<>> texts;  // that events name, each once

  Trace() = default;
  /// Takes the events with their texts. An empty deque allocates.
  Trace(Trace&&) noexcept(false) = default;
  /// Takes the events with their texts.
  Trace& operator=(Trace&&) noexcept(false) = default;

  /// Writes the Trace Event Format, which Perfetto and chrome://tracing open, event by event.
  ///
  /// Errors: `out` tells of a failure.
  /// Source: Trace Event Format, "Complete Events" and "Duration Events".
  void write_to(std::ostream& out) const;
  /// Returns what `write_to` writes.
  std::string to_json() const;
};

/// Ends the recording and gives it; nothing if there was none.
///
/// Threads: any.
KMUX_API Trace stop_trace();

/// Is anything recorded?
KMUX_API bool is_tracing() noexcept;

/// A span of the trace, from construction to destruction; nothing where nothing is recorded. With KMUX_NVTX=1 it is also a
/// range that profilers see, recorded or not.
///
/// Lifetime: borrows `name`, which is a literal.
class KMUX_API TraceSpan {
 public:
  /// `detail` is shown with it: a program, a backend.
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

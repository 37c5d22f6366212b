#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/export.h"

namespace kmux {

/// Begins to record what the runtime does: spans of resolve, wrap, build and load, of every call of the kernels that are
/// loaded from now on, and those that plugins tell of. Whatever was recorded before and not taken is dropped.
///
/// A kernel that was loaded while nothing was recorded is launched as if there were no tracing: then, and when tracing is
/// over, it costs nothing.
///
/// Threads: any.
KMUX_API void start_trace();

/// Ends the recording and gives it in the Trace Event Format, JSON that Perfetto and chrome://tracing open; empty if nothing
/// was being recorded.
///
/// Threads: any.
/// Source: Trace Event Format, "Complete Events" and "Duration Events".
KMUX_API std::string stop_trace();

/// Is anything recorded?
KMUX_API bool is_tracing() noexcept;

/// A span of the trace, from construction to destruction; nothing where nothing is recorded.
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
  std::string detail_;
  std::int64_t begin_ns_ = 0;
};

}  // namespace kmux

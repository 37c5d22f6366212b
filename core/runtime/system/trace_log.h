#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/environment.h"
#include "kmux/log.h"

namespace kmux {

/// Returns the time on the trace's clock.
std::int64_t trace_clock_ns() noexcept;

/// Records a call of `kernel` from `begin_ns` until now.
void add_call(const std::string& kernel, std::int64_t begin_ns) noexcept;

/// Records a compile stage from `begin_ns` until now, for stages named only at their end. Example: "cache hit".
void add_stage(const char* name, const std::string& program, std::int64_t begin_ns) noexcept;

/// Records the begin or end of a plugin's phase on this thread.
void add_plugin_phase(const std::string& plugin, bool begins, std::string_view name) noexcept;

/// Shows every later compile stage in this process as a profiler range, if `environment` requests it (KMUX_NVTX,
/// KMUX_ROCTX, which plugins take as options). Does not need a trace recording.
void show_stage_ranges(const Environment& environment);

/// Begins the range of a stage on this thread, for example "build gemm". One relaxed load if ranges are not shown.
///
/// Returns the argument for `end_stage_range`; negative if no range was begun.
int begin_stage_range(const char* stage, std::string_view detail) noexcept;

/// Ends the range, and any plugin phases still open in it.
void end_stage_range(int begun) noexcept;

/// Marks the begin or end of a plugin's phase on this thread. An end without a matching begin is ignored.
void mark_phase_range(bool begins, std::string_view name) noexcept;

/// Installs `sink` unless the application has installed one.
void set_default_log_sink(LogLevel level, const LogSink& sink);

/// Restricts logging to this thread, which ends the process, since objects that a sink uses are destroyed next. Waits
/// until `end` for another thread to leave the sink.
void silence_log(std::chrono::steady_clock::time_point end);

}  // namespace kmux

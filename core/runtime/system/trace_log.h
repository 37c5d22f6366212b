#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/environment.h"
#include "kmux/log.h"

namespace kmux {

/// The clock of the trace.
std::int64_t trace_clock_ns() noexcept;

/// A call of `kernel` that began then and has just returned.
void add_call(const std::string& kernel, std::int64_t begin_ns) noexcept;

/// A stage of a compile that began then and has just ended, where only its end tells what it was: "cache hit".
void add_stage(const char* name, const std::string& program, std::int64_t begin_ns) noexcept;

/// What a plugin reports to begin or to have done on this thread.
void add_plugin_phase(const std::string& plugin, bool begins, std::string_view name) noexcept;

/// From now on every stage of a compile in this process is a range that profilers see, if `environment` asks for that
/// (KMUX_NVTX, KMUX_ROCTX, which plugins take as their options): a recording of the trace is not needed for it.
void show_stage_ranges(const Environment& environment);

/// Begins the range of a stage on this thread: "build gemm". Where ranges are not shown, this is one relaxed load.
///
/// Returns: what `end_stage_range` needs; negative: nothing was begun.
int begin_stage_range(const char* stage, std::string_view detail) noexcept;

/// Ends it, and phases of plugins that began in it and did not end.
void end_stage_range(int begun) noexcept;

/// What a plugin reports to begin or to have done on this thread. It cannot end what it did not begin.
void mark_phase_range(bool begins, std::string_view name) noexcept;

/// Installs `sink` unless the application has installed one.
void set_default_log_sink(LogLevel level, const LogSink& sink);

/// From now on only this thread, which ends the process, logs: what a sink uses is destroyed next. Waits until `end` for a
/// sink that another thread is in.
void silence_log(std::chrono::steady_clock::time_point end);

}  // namespace kmux

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kmux {

/// The clock of the trace.
std::int64_t trace_clock_ns() noexcept;

/// A call of `kernel` that began then and has just returned.
void add_call(const std::string& kernel, std::int64_t begin_ns) noexcept;

/// A stage of a compile that began then and has just ended, where only its end tells what it was: "cache hit".
void add_stage(const char* name, const std::string& program, std::int64_t begin_ns) noexcept;

/// What a plugin says that it begins or has done on this thread.
void add_plugin_phase(const std::string& plugin, bool begins, std::string_view name) noexcept;

}  // namespace kmux

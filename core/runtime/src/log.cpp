#include "kmux/log.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>

#include "log_state.h"

namespace kmux {
namespace {

constexpr int kNowhere = 4;  // above every level

struct State {
  std::mutex mutex;
  LogSink sink;
  std::atomic<int> level{kNowhere};
};

/// Never destroyed: plugins may log while the process ends.
State& state() {
  static State& instance = *new State;
  return instance;
}

/// Set while this thread is in the sink, so that a sink that logs does not wait for itself.
thread_local bool in_sink = false;

void install(State& log, LogLevel level, LogSink sink) {
  log.level = sink ? static_cast<int>(level) : kNowhere;
  log.sink = std::move(sink);
}

}  // namespace

void set_log_sink(LogLevel level, LogSink sink) {
  State& log = state();
  const std::lock_guard lock(log.mutex);
  install(log, level, std::move(sink));
}

void set_default_log_sink(LogLevel level, const LogSink& sink) {
  State& log = state();
  const std::lock_guard lock(log.mutex);
  if (!log.sink) install(log, level, sink);
}

LogSink stderr_log_sink() {
  return [](LogLevel level, std::string_view text) {
    static constexpr std::array<std::string_view, 4> kNames = {"debug", "info", "warning", "error"};
    std::string line = "kmux: ";
    line.append(kNames[static_cast<std::size_t>(level)]).append(": ").append(text).append("\n");
    std::fwrite(line.data(), 1, line.size(), stderr);
  };
}

void log(LogLevel level, std::string_view text) {
  State& log = state();
  if (static_cast<int>(level) < log.level.load(std::memory_order_relaxed) || in_sink) return;
  const std::lock_guard lock(log.mutex);
  if (!log.sink) return;
  in_sink = true;
  log.sink(level, text);
  in_sink = false;
}

}  // namespace kmux

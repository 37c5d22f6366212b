#include "kmux/log.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "kmux/plugin/printable.h"

#include "base/immortal.h"
#include "fork_guard.h"
#include "trace_log.h"

namespace kmux {
namespace {

constexpr int kNowhere = 4;  // above every level

struct State {
  std::mutex mutex;  // held while the sink is called
  ForkGuard guard{mutex};
  std::mutex sink_mutex;  // of the members below; taken after `mutex`
  ForkGuard sink_guard{sink_mutex};
  std::shared_ptr<const LogSink> sink = std::make_shared<const LogSink>(stderr_log_sink());
  bool is_chosen = false;  // by the application
  std::atomic<int> level{static_cast<int>(LogLevel::kWarning)};
  std::atomic<bool> silenced{false};
};

/// Never destroyed: plugins may log during process exit.
State& state() { return immortal<State>(); }

/// True while this thread is in the sink, so that a sink that logs does not deadlock.
thread_local bool in_sink = false;

/// True on the thread that ends the process.
thread_local bool ends_process = false;

bool is_silenced(const State& log) { return log.silenced.load(std::memory_order_relaxed) && !ends_process; }

/// Calls the application's sink and swallows exceptions; the line is then lost. Callers log in the middle of other
/// work, some on threads where an exception would terminate the process.
void call_sink(const LogSink& sink, LogLevel level, std::string_view text) noexcept {
  in_sink = true;
  try {
    sink(level, text);
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
  in_sink = false;
}

void install(State& log, LogLevel level, LogSink sink) {
  log.level = sink ? static_cast<int>(level) : kNowhere;
  log.sink = sink ? std::make_shared<const LogSink>(std::move(sink)) : nullptr;
}

std::shared_ptr<const LogSink> sink_of(State& log) {
  const std::lock_guard lock(log.sink_mutex);
  return log.sink;
}

}  // namespace

// The old sink stays valid until it returns: a call of it may run now.
void set_log_sink(LogLevel level, LogSink sink) {
  State& log = state();
  const std::lock_guard lock(log.sink_mutex);
  log.is_chosen = sink != nullptr;
  install(log, level, std::move(sink));
}

void set_default_log_sink(LogLevel level, const LogSink& sink) {
  State& log = state();
  const std::lock_guard lock(log.sink_mutex);
  if (!log.is_chosen) install(log, level, sink);
}

LogSink stderr_log_sink() {
  return [](LogLevel level, std::string_view text) {
    static constexpr std::array<std::string_view, 4> kNames = {"debug", "info", "warning", "error"};
    std::string line = "kmux: ";
    line.append(kNames[static_cast<std::size_t>(level)]).append(": ").append(printable(text)).append("\n");
    std::fwrite(line.data(), 1, line.size(), stderr);
  };
}

void log(LogLevel level, std::string_view text) {
  State& log = state();
  if (static_cast<int>(level) < log.level.load(std::memory_order_relaxed) || in_sink) return;
  const std::lock_guard lock(log.mutex);
  const std::shared_ptr<const LogSink> sink = sink_of(log);
  if (sink == nullptr || is_silenced(log)) return;
  call_sink(*sink, level, text);
}

void silence_log(std::chrono::steady_clock::time_point end) {
  State& log = state();
  ends_process = true;
  log.silenced = true;
  if (in_sink) return;  // called from the sink
  while (!log.mutex.try_lock()) {
    if (std::chrono::steady_clock::now() >= end) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  log.mutex.unlock();
}

}  // namespace kmux

#include "host_api.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string_view>
#include <utility>

#include "kmux/executor.h"
#include "kmux/launch_interrupt.h"
#include "kmux/log.h"

#include "base/immortal.h"
#include "compile_scope.h"
#include "trace_log.h"

namespace kmux {
namespace {

std::atomic<bool> stop_announced{false};

/// A function that the application replaces at any time. All of them stay valid until the process ends: a launch may
/// still call an earlier one.
template <class Function>
class Replaceable {
 public:
  void set(Function function) {
    const std::lock_guard lock(mutex_);
    now_.store(function ? &all_.emplace_back(std::move(function)) : nullptr, std::memory_order_release);
  }
  /// Returns null if none is set.
  const Function* get() const { return now_.load(std::memory_order_acquire); }

 private:
  std::mutex mutex_;
  std::deque<Function> all_;
  std::atomic<const Function*> now_{nullptr};
};

LogLevel known_level(std::int32_t level) {
  return static_cast<LogLevel>(std::clamp(level, std::int32_t{0}, std::int32_t{3}));
}

void log_line(LogLevel level, std::string_view plugin, std::string_view text) noexcept {
  try {
    kmux::log(level, std::string(plugin) + ": " + std::string(text));
  } catch (...) {  // NOLINT(bugprone-empty-catch): by the application's sink; it must not unwind through the plugin
  }
}

}  // namespace

std::int32_t HostApi::option(void* self, kmux_bytes name, kmux_sink value) noexcept {
  const auto& options = static_cast<const HostApi*>(self)->options_;
  const auto found = options.find(std::string_view(name.data, name.size));  // does not allocate, as it must not throw
  if (found == options.end()) return 0;
  found->second.asked.store(true, std::memory_order_relaxed);
  value.write(value.self, found->second.text.data(), found->second.text.size());
  return 1;
}

std::vector<std::string> HostApi::unasked() const {
  std::vector<std::string> names;
  for (const auto& [name, answer] : options_) {
    if (name.starts_with(plugin_ + ".") && !answer.asked.load(std::memory_order_relaxed)) names.push_back(name);
  }
  return names;
}

void HostApi::log(void* self, std::int32_t level, kmux_bytes text) noexcept {
  log_line(known_level(level), static_cast<const HostApi*>(self)->plugin_, {text.data, text.size});
}

void HostApi::trace(void* self, std::int32_t phase, kmux_bytes name) noexcept {
  add_plugin_phase(static_cast<const HostApi*>(self)->plugin_, phase == 0, {name.data, name.size});
}

std::int32_t HostApi::run_on_threads(void*, std::uint32_t threads, void (*work)(void* context),
                                     void* context) noexcept {
  return run_on_lent_threads(threads, work, context) ? 1 : 0;
}

std::int32_t HostApi::interrupted(void*) noexcept { return is_launch_interrupted() ? 1 : 0; }

namespace {

bool is_cancelled(const CompileScope* scope) { return is_stopping() || (scope != nullptr && scope->is_cancelled()); }

}  // namespace

std::int32_t HostApi::stopping(void*) noexcept { return is_cancelled(CompileScope::current()) ? 1 : 0; }

HostCall::HostCall(const char* plugin) : plugin_(plugin), scope_(CompileScope::current()) {
  api_ = {.struct_size = sizeof api_,
          .self = this,
          .cancelled = cancelled,
          .nanoseconds_left = nanoseconds_left,
          .progress = progress,
          .log = log};
}

std::int32_t HostCall::cancelled(void* self) noexcept {
  return is_cancelled(static_cast<const HostCall*>(self)->scope_) ? 1 : 0;
}

std::int64_t HostCall::nanoseconds_left(void* self) noexcept {
  const CompileScope* const scope = static_cast<const HostCall*>(self)->scope_;
  const CompileScope::Limit left = scope == nullptr ? std::nullopt : scope->time_left();
  return left ? std::chrono::nanoseconds(*left).count() : INT64_MAX;
}

void HostCall::progress(void* self, double fraction, kmux_bytes phrase) noexcept {
  const auto* call = static_cast<const HostCall*>(self);
  const std::string_view text(phrase.data, phrase.size);
  if (call->scope_ != nullptr) call->scope_->progress(fraction, text);
  log_line(LogLevel::kDebug, call->plugin_, text);
}

void HostCall::log(void* self, std::int32_t level, kmux_bytes text) noexcept {
  log_line(known_level(level), static_cast<const HostCall*>(self)->plugin_, {text.data, text.size});
}

bool is_stopping() noexcept { return stop_announced.load(std::memory_order_relaxed); }

void announce_stop() noexcept { stop_announced.store(true, std::memory_order_relaxed); }

HostApi::HostApi(std::string plugin, const Options& options) : plugin_(std::move(plugin)) {
  for (const auto& [name, text] : options) options_[name].text = text;
  api_ = {.struct_size = sizeof(kmux_host_api),
          .abi_version = KMUX_PLUGIN_ABI_VERSION,
          .reserved = 0,
          .self = this,
          .option = option,
          .log = log,
          .trace = trace,
          .stopping = stopping,
          .run_on_threads = run_on_threads,
          .interrupted = interrupted};
}

void set_executor(Executor function) { immortal<Replaceable<Executor>>().set(std::move(function)); }

void set_launch_interrupt(LaunchInterrupt function) {
  immortal<Replaceable<LaunchInterrupt>>().set(std::move(function));
}

bool is_launch_interrupted() noexcept {
  const LaunchInterrupt* const function = immortal<Replaceable<LaunchInterrupt>>().get();
  try {
    return function != nullptr && (*function)();
  } catch (...) {
    return true;
  }
}

bool run_on_lent_threads(unsigned threads, void (*work)(void* context), void* context) noexcept {
  const Executor* const function = immortal<Replaceable<Executor>>().get();
  if (function == nullptr || threads == 0) return function != nullptr;
  try {
    (*function)(threads, [work, context] { work(context); });
  } catch (...) {  // NOLINT(bugprone-empty-catch): who launches does the work then
  }
  return true;
}

}  // namespace kmux

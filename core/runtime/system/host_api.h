#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.h"

namespace kmux {

class CompileScope;

/// The functions of this runtime that a plugin may call.
///
/// Threads: any.   Lifetime: the table borrows this object.
class HostApi {
 public:
  /// `plugin` is named in its log lines.
  HostApi(std::string plugin, const Options& options);
  HostApi(const HostApi&) = delete;
  HostApi& operator=(const HostApi&) = delete;
  const kmux_host_api* get() const { return &api_; }
  /// Returns the options "PLUGIN.name" of this plugin that it has not looked up.
  std::vector<std::string> unasked() const;

 private:
  struct Answer {
    std::string text;
    mutable std::atomic<bool> asked = false;
  };

  static std::int32_t option(void* self, kmux_bytes name, kmux_sink value) noexcept;
  static void log(void* self, std::int32_t level, kmux_bytes text) noexcept;
  static void trace(void* self, std::int32_t phase, kmux_bytes name) noexcept;
  static std::int32_t stopping(void* self) noexcept;
  static std::int32_t run_on_threads(void* self, std::uint32_t threads, void (*work)(void* context),
                                     void* context) noexcept;
  static std::int32_t interrupted(void* self) noexcept;

  std::string plugin_;
  std::map<std::string, Answer, std::less<>> options_;
  kmux_host_api api_{};
};

/// The functions that a plugin may call during one cold call: whether the call is cancelled and the time left. Both are
/// those of the compilation (CompileScope) of the constructing thread.
///
/// Threads: any.   Lifetime: valid during the call; the table borrows this object and `plugin`.
class HostCall {
 public:
  /// `plugin` is named in its log lines.
  explicit HostCall(const char* plugin);
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;
  const kmux_call* get() const { return &api_; }

 private:
  static std::int32_t cancelled(void* self) noexcept;
  static std::int64_t nanoseconds_left(void* self) noexcept;
  static void progress(void* self, double fraction, kmux_bytes phrase) noexcept;
  static void log(void* self, std::int32_t level, kmux_bytes text) noexcept;

  const char* plugin_;
  CompileScope* scope_;
  kmux_call api_{};
};

/// Announces to every plugin that the process is about to end. Cannot be undone.
void announce_stop() noexcept;
/// Returns true after `announce_stop`.
bool is_stopping() noexcept;

/// Calls `work(context)` on threads that the application has lent, as described at `Executor`. Returns false if it has
/// lent none; then `work` was not called. With 0 threads it only reports whether it has lent any.
///
/// Threads: any.
bool run_on_lent_threads(unsigned threads, void (*work)(void* context), void* context) noexcept;

/// Returns whether the application interrupts the launch of the calling thread, as described at `LaunchInterrupt`.
///
/// Threads: any.
bool is_launch_interrupted() noexcept;

}  // namespace kmux

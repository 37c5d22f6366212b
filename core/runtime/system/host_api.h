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

/// What a plugin may ask of this runtime.
///
/// Threads: any.   Lifetime: the table borrows this object.
class HostApi {
 public:
  /// `plugin` is named in what it logs.
  HostApi(std::string plugin, const Options& options);
  HostApi(const HostApi&) = delete;
  HostApi& operator=(const HostApi&) = delete;
  const kmux_host_api* get() const { return &api_; }
  /// The options "PLUGIN.name" of the plugin itself that it has not asked for.
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

  std::string plugin_;
  std::map<std::string, Answer, std::less<>> options_;
  kmux_host_api api_{};
};

/// What a plugin may ask of one cold call: whether it is still wanted and how long it may take, which is that of the
/// compilation (CompileScope) of the thread that makes this.
///
/// Threads: any.   Lifetime: that of the call; the table borrows this object and `plugin`.
class HostCall {
 public:
  /// `plugin` is named in what it logs.
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

/// Tells every plugin that the process is about to end. There is no way back.
void announce_stop() noexcept;
/// Whether that was announced.
bool is_stopping() noexcept;

/// Has `work(context)` called by threads that the application has lent, as `Executor` says; false: it has lent none, and nothing
/// was called. With 0 threads it only says whether it has.
///
/// Threads: any.
bool run_on_lent_threads(unsigned threads, void (*work)(void* context), void* context) noexcept;

}  // namespace kmux

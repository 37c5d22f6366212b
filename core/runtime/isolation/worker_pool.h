#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/confinement.h"
#include "kmux/plugin/plugin.h"

#include "failed_calls.h"
#include "worker_process.h"

namespace kmux {

/// The return code of a plugin and the contents of its two sinks.
struct WorkerReply {
  kmux_code code = KMUX_OK;
  std::string output;
  std::string error;
  std::uint64_t peak_bytes = 0;  // peak memory of the worker and one of its children so far
};

/// Decodes a reply.
///
/// Errors: internal for a frame that is not a reply.
Result<WorkerReply> read_reply(const Frame& frame);

/// The workers of one plugin: one per concurrent call, at most `kMaxWorkers`; further calls wait. Calls with different
/// confinements use different workers. A call in a larger compilation (CompileScope) does not wait, since the scope
/// limits itself. Workers are kept for later calls; one that failed is replaced. If a reused worker ends during a call,
/// a new one repeats the call: an earlier call may have killed the first.
///
/// A call that crashed or hung its worker is refused immediately if repeated within `failure_time`. One that hung is
/// tried again with a longer limit. A worker killed from outside (SIGKILL when memory is short) does not count: the
/// same call is tried again.
/// Threads: any.   Lifetime: the destructor ends the workers.
class WorkerPool {
 public:
  static constexpr std::size_t kMaxWorkers = 4;

  struct Settings {
    std::string plugin;  // the name of the plugin
    std::filesystem::path program;  // kmux-worker
    std::filesystem::path manifest;
    Options options;  // the options that the plugin may query
    std::optional<Confinement> confinement;  // the confinement of calls; empty: the plugin does not support it
    WorkerHost host;
    std::chrono::steady_clock::duration failure_time = std::chrono::minutes(10);  // failed calls are refused for it
    FailedCalls::Clock now = std::chrono::steady_clock::now;
  };
  explicit WorkerPool(Settings settings)
      : settings_(std::move(settings)), failed_(settings_.failure_time, settings_.now) {}

  /// Calls the plugin in a worker with `confinement` and waits at most `limit` for the reply.
  ///
  /// A scope of the thread may shorten the limit, and cancels the call when its result is no longer needed.
  /// Errors: in wrap, build or standalone, compile_failed if it crashed and timed_out if it hung; in another call,
  /// unavailable. The message has the signal or the limit, and note "log" the worker's output. Cancelled if the call
  /// was cancelled; internal for an invalid reply; the plugin's own error if it cannot be opened.
  Result<WorkerReply> call(const Frame& request, const std::optional<std::chrono::milliseconds>& limit,
                           const std::optional<Confinement>& confinement = std::nullopt);

  /// Returns the confinement of calls, without the additions of a request.
  const std::optional<Confinement>& confinement() const { return settings_.confinement; }

  /// Ends idle workers.
  void end_idle();
  /// Ends idle workers above `kMaxWorkers`, which a larger compilation started.
  void end_surplus();

 private:
  using Limit = std::optional<std::chrono::milliseconds>;
  using Answer = std::variant<Frame, WorkerFailure>;
  struct Question {
    FrameKind call;
    std::string key;  // digest of the request
    Limit limit;
  };
  class Lease;

  std::unique_ptr<WorkerProcess> take_idle(const std::optional<Confinement>& confinement);
  Result<std::unique_ptr<WorkerProcess>> start(const Limit& limit, const std::optional<Confinement>& confinement);
  void keep(std::unique_ptr<WorkerProcess> worker);
  Result<WorkerReply> conclude(const Question& question, std::unique_ptr<WorkerProcess> worker, Answer answer);
  std::optional<Error> recall(const Question& question);
  Error remember(const Question& question, const WorkerFailure& failure);
  Error remember(const Question& question, Error error, const Limit& limit);
  WorkerHost host() const;
  Error error_of(FrameKind call, const WorkerFailure& failure, const Limit& limit) const;

  Settings settings_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::size_t lent_ = 0;
  std::vector<std::unique_ptr<WorkerProcess>> idle_;
  FailedCalls failed_;  // by Question::key
};

/// A plugin in worker processes, with the same table type as the plugin itself. Cold calls (probe, resolve_target,
/// supports, toolchain, wrap, build, standalone) go to a worker, byte for byte. All others are refused, since adapters
/// and devices belong to the application's process.
///
/// Threads: any.
class WorkerTable {
 public:
  /// A call may take at most `limit`. If `is_confined`, compiling calls run with the pool's confinement.
  WorkerTable(std::string name, std::shared_ptr<WorkerPool> pool, std::optional<std::chrono::milliseconds> limit,
              bool is_confined = false);
  WorkerTable(const WorkerTable&) = delete;
  WorkerTable& operator=(const WorkerTable&) = delete;

  const kmux_plugin_api& api() const { return api_; }
  void* instance() { return this; }

 private:
  static kmux_code forward(void* self, const Frame& frame, kmux_sink output, kmux_sink error,
                           const std::optional<Confinement>& confinement = std::nullopt);
  static kmux_code compile(void* self, FrameKind kind, const kmux_build_request& request, kmux_sink output,
                           kmux_sink error);

  std::string name_;
  std::shared_ptr<WorkerPool> pool_;
  std::optional<std::chrono::milliseconds> limit_;
  bool is_confined_;
  kmux_plugin_api api_{};
};

}  // namespace kmux

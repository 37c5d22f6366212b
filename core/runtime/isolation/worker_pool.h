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

/// What a plugin returned and wrote to its two sinks.
struct WorkerReply {
  kmux_code code = KMUX_OK;
  std::string output;
  std::string error;
  std::uint64_t peak_bytes = 0;  // the most memory that the worker and one of its children have taken so far
};

/// Errors: internal for a frame that is no reply.
Result<WorkerReply> read_reply(const Frame& frame);

/// The workers of one plugin: as many as there are calls at the same time, at most `kMostWorkers` (further calls wait). Calls that
/// are held to different files have different workers.
/// A call that is part of a larger compilation (CompileScope) does not wait: that one counts for itself. Workers are kept
/// for later calls; one that failed is replaced by a fresh one, which is asked once more if it was not
/// the first call of the one that failed: what went before may have killed it.
///
/// A call that crashed its worker, or hung, is refused at once when it is made again within `failure_time`; one that hung
/// gets another try with a longer limit. A worker that was killed from outside (SIGKILL when memory is short) counts for
/// nothing: the same call is made again.
/// Threads: any.   Lifetime: the destructor ends the workers.
class WorkerPool {
 public:
  static constexpr std::size_t kMostWorkers = 4;

  struct Settings {
    std::string plugin;  // its name
    std::filesystem::path program;  // kmux-worker
    std::filesystem::path manifest;
    Options options;  // what the plugin may ask its host for
    std::optional<Confinement> confinement;  // what a call may be held to; absent: the plugin is not made for that
    WorkerHost host;
    std::chrono::steady_clock::duration failure_time = std::chrono::minutes(10);  // for which a failed call is refused
    FailedCalls::Clock now = std::chrono::steady_clock::now;
  };
  explicit WorkerPool(Settings settings)
      : settings_(std::move(settings)), failed_(settings_.failure_time, settings_.now) {}

  /// Asks a worker that is held to `confinement`; its plugin is given at most `limit` for the answer.
  ///
  /// A scope of the thread may shorten that, and end the call when its answer is no longer needed.
  /// Errors: compile_failed if it crashed or hung in wrap or build, unavailable if it did in another call, with the name
  /// of the signal or the limit, and what it wrote as note "log"; the plugin's own error if it cannot be opened.
  Result<WorkerReply> call(const Frame& request, const std::optional<std::chrono::milliseconds>& limit,
                           const std::optional<Confinement>& confinement = std::nullopt);

  /// Returns what calls may be held to, before what a request adds to it.
  const std::optional<Confinement>& confinement() const { return settings_.confinement; }

  /// Ends the workers that wait for a call.
  void end_idle();
  /// Ends those that are more than the pool has without a larger compilation.
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

/// A plugin in worker processes, as the table that the plugin itself would give. Its cold calls (probe, resolve_target,
/// supports, toolchain, wrap, build) go to a worker, byte for byte; everything else is refused, since adapters and
/// devices belong to the application's process.
///
/// Threads: any.
class WorkerTable {
 public:
  /// A call gets at most `limit`. Those that compile are held to the pool's confinement where that `is_confined`.
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

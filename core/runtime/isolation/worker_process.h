#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <variant>

#include "kmux/plugin/confinement.h"
#include "kmux/plugin/descriptor.h"
#include "kmux/plugin/private_folder.h"

#include "worker_frame.h"

namespace kmux {

/// The application's functions for a worker, as in kmux_host_api.
struct WorkerHost {
  std::function<void(std::int32_t level, std::string_view line)> log;
  std::function<bool()> stopping;  // returns true if the reply is no longer needed, for example if the application ends
};

/// The reason for a missing reply.
struct WorkerFailure {
  enum class Kind { kEnded, kTimeUp, kMalformed, kStopped };  // kStopped: the reply is no longer needed
  Kind kind;
  std::string why;  // "signal 11, SIGSEGV", "it ended with code 0", or the error in the reply
  std::string output;  // the last output to stdout and stderr
  enum class End { kCrashed, kKilled };
  End end = End::kCrashed;  // kKilled: from outside, for example by the system when memory is short
};

/// A kmux-worker that this process started.
///
/// Threads: one at a time.   Lifetime: the destructor ends the process and its children, and waits for it.
class WorkerProcess {
 public:
  /// Starts `program PLUGIN`. The socket is its descriptor 3, and its outputs go to a pipe. With `confinement` it is
  /// confined, and gets a folder for temporary files in which it may write.
  ///
  /// Errors: unavailable if it cannot be started, or the folder cannot be created.
  static Result<std::unique_ptr<WorkerProcess>> start(const std::filesystem::path& program,
                                                      const std::filesystem::path& plugin,
                                                      const std::optional<Confinement>& confinement = std::nullopt);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Sends `request`, an encoded frame, and waits for the reply. The worker must not be used after a failure.
  std::variant<Frame, WorkerFailure> call(std::string_view request, const Deadline& deadline, const WorkerHost& host);

  /// Returns the confinement that it was started with.
  const std::optional<Confinement>& confinement() const { return confinement_; }

  /// Returns true if it waits for a call. Returns false if it has ended since the last one, and in a forked child of
  /// the process that started it.
  bool is_ready() const;

 private:
  WorkerProcess(pid_t id, const std::optional<Confinement>& confinement, std::optional<PrivateFolder> scratch,
                Descriptor socket, Descriptor output);
  void drain_output();
  /// Returns the reply, or nothing if it has not arrived. Relays log lines that precede it.
  Result<std::optional<Frame>> next_reply(const WorkerHost& host);
  /// The way a worker ended.
  struct Ending {
    std::string why;
    WorkerFailure::End end;
  };
  /// Ends the worker and its children, after waiting `patience_ms` for it to end by itself.
  Ending end(int patience_ms);
  std::variant<Frame, WorkerFailure> wait_for_reply(const Deadline& deadline, const WorkerHost& host);
  WorkerFailure failure(WorkerFailure::Kind kind, std::string why);
  WorkerFailure ended();
  WorkerFailure stopped();
  WorkerFailure time_up();

  std::optional<PrivateFolder> scratch_;  // removed after the process has ended
  std::optional<Confinement> confinement_;
  pid_t id_;
  pid_t owner_;
  Descriptor socket_;
  Descriptor output_;
  FrameReader reader_;
  std::string written_;
  bool reaped_ = false;
};

/// Kills every process of the session that `leader` began, except this process. Compilers that a plugin starts have
/// separate process groups, but stay in its session.
void end_session(pid_t leader);

}  // namespace kmux

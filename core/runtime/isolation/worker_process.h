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

/// What a worker has of its application, as kmux_host_api has it.
struct WorkerHost {
  std::function<void(std::int32_t level, std::string_view line)> log;
  std::function<bool()> stopping;  // is the answer no longer needed, as when the application ends?
};

/// Why there is no answer.
struct WorkerFailure {
  enum class Kind { kEnded, kTimeUp, kMalformed, kStopped };  // kStopped: the answer is no longer needed
  Kind kind;
  std::string why;     // "signal 11, SIGSEGV", "it ended with code 0", what is wrong with the answer
  std::string output;  // the last that it wrote to stdout and stderr
  enum class End { kCrashed, kKilled };
  End end = End::kCrashed;  // kKilled: from outside, as the system does when memory is short
};

/// A kmux-worker that this process started.
///
/// Threads: one at a time.   Lifetime: the destructor ends the process, and what it started, and waits for it.
class WorkerProcess {
 public:
  /// Starts `program PLUGIN`; the socket is its descriptor 3, and its outputs go to a pipe. It is held to `confinement`, where that is
  /// given, and has a folder for temporary files then, in which it may write.
  ///
  /// Errors: unavailable if it cannot be started, or no folder can be made.
  static Result<std::unique_ptr<WorkerProcess>> start(const std::filesystem::path& program,
                                                      const std::filesystem::path& plugin,
                                                      const std::optional<Confinement>& confinement = std::nullopt);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Sends `request`, an encoded frame, and waits for the reply. After a failure the worker is of no use any more.
  std::variant<Frame, WorkerFailure> call(std::string_view request, const Deadline& deadline, const WorkerHost& host);

  /// Returns what it was started with.
  const std::optional<Confinement>& confinement() const { return confinement_; }

  /// Does it wait for a call? False if it ended since the last one, and in a fork of the process that started it.
  bool is_ready() const;

 private:
  WorkerProcess(std::optional<PrivateFolder> scratch, Descriptor socket, Descriptor output);
  void drain_output();
  /// The reply, if it has come. Passes on what was logged before it.
  Result<std::optional<Frame>> next_reply(const WorkerHost& host);
  /// How a worker ended.
  struct Ending {
    std::string why;
    WorkerFailure::End end;
  };
  /// Ends it and all that it started, after waiting `patience_ms` for it to end by itself.
  Ending end(int patience_ms);
  std::variant<Frame, WorkerFailure> wait_for_reply(const Deadline& deadline, const WorkerHost& host);
  WorkerFailure failure(WorkerFailure::Kind kind, std::string why);
  WorkerFailure ended();
  WorkerFailure stopped();
  WorkerFailure time_up();

  std::optional<PrivateFolder> scratch_;  // removed when the process has ended
  std::optional<Confinement> confinement_;
  pid_t id_ = -1;
  pid_t owner_;
  Descriptor socket_;
  Descriptor output_;
  FrameReader reader_;
  std::string written_;
  bool reaped_ = false;
};

/// Kills every process of the session that `leader` began, this process aside. Compilers that a plugin starts have
/// process groups of their own, but stay in its session.
void end_session(pid_t leader);

}  // namespace kmux

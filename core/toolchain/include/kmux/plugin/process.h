#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/confinement.h"
#include "kmux/plugin/descriptor.h"

namespace kmux {

/// A child process to run: program and arguments, passed without a shell.
struct Command {
  std::vector<std::string> argv;                   // argv[0] is looked up in PATH unless it has a '/'
  std::string working_directory = {};              // empty: the caller's
  std::map<std::string, std::string> environment = {};  // added to the inherited variables
  std::string standard_input = {};  // its input
  std::chrono::milliseconds timeout{0};            // 0: none
  std::function<bool()> stopping = {};  // polled; once true, the child is killed
  std::optional<std::vector<std::string>> inherited = {};  // variables inherited from the caller; absent: all
  std::optional<Confinement> confinement = {};  // absent: the child has the caller's rights
};

/// The outcome of a child process.
struct ProcessResult {
  int exit_code = 0;         // 128 + signal if killed by a signal
  std::string standard_output;  // its output
  std::string standard_error;  // its error output
};

/// Runs `command` and waits for it. A child that exceeds its time-out or is cancelled is killed with its process group.
///
/// Errors:  unavailable if the program cannot be started (with the reason). A non-zero exit is a result, never
///          compile_failed. A time-out is timed_out, a stop is cancelled; both carry the child's output.
/// Threads: thread-safe.
Result<ProcessResult> run(const Command& command);

/// Returns the command line quoted for a shell, for messages only.
std::string to_string(const Command& command);

/// Returns the absolute folders of the colon-separated `list`, as in PATH. Empty and relative entries are dropped: they
/// would refer to the working directory.
std::vector<std::string> absolute_folders_in(std::string_view list);
/// Same, but returns a colon-separated list.
std::string absolute_folders(std::string_view list);

/// Returns the environment of the child, each entry "NAME=value". PATH and LD_LIBRARY_PATH keep absolute folders only.
std::vector<std::string> environment_of(const Command& command);

/// Returns the absolute path of an executable `name` in PATH, or nothing. A process with more privileges than its
/// caller (AT_SECURE) searches /usr/bin and /bin instead.
std::optional<std::string> find_program(const std::string& name);

/// Returns the path of the running program, links resolved; empty if unknown. Systems without Linux's /proc use
/// `first_word`, argv[0]: a path, or a name in PATH.
std::string own_program(const std::string& first_word);

/// Configures the start of a child process: descriptors, working directory, group. The child blocks no signals, and
/// close-on-exec descriptors are closed. `start` reports the error of a failed redirection.
///
/// Threads: one.
class Spawn {
 public:
  /// The process group or session of the child, and the signals that are reset to their default action if this process
  /// ignores them.
  enum class Group {
    kOfItsOwn,  ///< a process group, so that `kill(-id, ...)` ends all its children; resets SIGPIPE
    kSessionOfItsOwn  ///< a session without a terminal; resets all signals
  };

  /// Inherits the descriptors and the working directory of this process.
  explicit Spawn(Group group);
  ~Spawn();
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  /// Makes `from` the child's descriptor `to`. `from` must be above every `to`, so that none overwrites another.
  void redirect(const Descriptor& from, int to);
  /// Also makes the child's descriptor `from` available as `to`.
  void duplicate(int from, int to);
  /// Opens `path` as the child's descriptor `to`, with the flags and mode of open(2).
  void open(int to, const std::string& path, int flags, mode_t mode = 0);
  /// Closes the child's descriptors from `first` on.
  void close_from(int first);
  /// Sets the child's working directory.
  void work_in(const std::string& folder);
  /// Confines the child. `confinement` must stay valid until the child is started.
  void confine(const Confinement& confinement) { confinement_ = &confinement; }

  /// Starts `program`, a path, with the given arguments and variables ("NAME=value") and stores the process id in
  /// `child`. Returns 0 or an errno.
  ///
  /// If the application ignores or handles SIGCHLD, or after `hide_children`, only a wait with `any_child()` sees the end
  /// of a child with its own group.
  int start(pid_t* child, const std::string& program, std::vector<std::string> words,
            std::vector<std::string> variables) const;

  /// Hides children with their own group from waits of the application from now on: a thread of it waits for any child,
  /// and so takes their exit codes. Returns false if they were hidden already.
  ///
  /// Threads: any.
  static bool hide_children() noexcept;

 private:
  int start_here(pid_t* child, const char* program, char* const* argv, char* const* envp) const;
  std::optional<int> start_kept(pid_t* child, const char* program, char* const* argv, char* const* envp,
                                const PreparedConfinement* confinement = nullptr) const;
  [[noreturn]] void keep(int told, const char* program, char* const* argv, char* const* envp) const;

  Group group_;
  const Confinement* confinement_ = nullptr;
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace kmux

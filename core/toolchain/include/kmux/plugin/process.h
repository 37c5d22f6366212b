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

/// A child process to run: program and arguments as they are, no shell.
struct Command {
  std::vector<std::string> argv;                   // argv[0] is looked up in PATH unless it has a '/'
  std::string working_directory = {};              // empty: the caller's
  std::map<std::string, std::string> environment = {};  // added to what is inherited
  std::string standard_input = {};  // what it reads
  std::chrono::milliseconds timeout{0};            // 0: none
  std::function<bool()> stopping = {};  // called now and then; once true, the child is killed
  std::optional<std::vector<std::string>> inherited = {};  // the caller's variables that the child gets; absent: all
  std::optional<Confinement> confinement = {};  // absent: the child may do what the caller may
};

/// How a child process ended, and what it wrote.
struct ProcessResult {
  int exit_code = 0;         // 128 + signal if a signal ended it
  std::string standard_output;  // what it wrote
  std::string standard_error;  // what it wrote
};

/// Runs `command` and waits for it. A child that outlives its time-out, or is to stop, is killed with its process group.
///
/// Errors:  unavailable if the program cannot be started (with the reason); compile_failed never: a non-zero exit is a
///          result. A time-out is timed_out, a stop cancelled; both carry what the child had written.
/// Threads: any.
Result<ProcessResult> run(const Command& command);

/// The command line as a person would type it, quoted, for messages only.
std::string to_string(const Command& command);

/// Returns the absolute folders of `list`, in which colons are between them as in PATH. An empty or relative one would mean the
/// folder that a process stands in.
std::vector<std::string> absolute_folders_in(std::string_view list);
/// Returns the same as a list.
std::string absolute_folders(std::string_view list);

/// What the child of `command` finds in its environment, each "NAME=value". PATH and LD_LIBRARY_PATH have absolute folders only.
std::vector<std::string> environment_of(const Command& command);

/// The absolute path of an executable named `name` in PATH, or nothing. A process with more rights than its caller
/// (AT_SECURE) looks in /usr/bin and /bin instead.
std::optional<std::string> find_program(const std::string& name);

/// The file of the program that this process runs, without links; empty where that cannot be told. `first_word`, argv[0], is what
/// a system without Linux's /proc goes by: a path, or a name in PATH.
std::string own_program(const std::string& first_word);

/// How a child process begins: its descriptors, its folder, its group. No signal is blocked in it, and what closes on exec is closed.
/// A redirection that fails is the error of `start`.
///
/// Threads: one.
class Spawn {
 public:
  /// Whom a signal to the terminal or to a group reaches, and which signals have their default action although this process
  /// ignores them.
  enum class Group {
    kOfItsOwn,  ///< a process group, which `kill(-id, ...)` ends with all its children; SIGPIPE
    kSessionOfItsOwn  ///< a session, which no terminal reaches; every signal
  };

  /// A child with the descriptors of this process, in its folder.
  explicit Spawn(Group group);
  ~Spawn();
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  /// Gives the child `from` as its descriptor `to`. `from` is above every `to`, so that none overwrites another.
  void redirect(const Descriptor& from, int to);
  /// Gives the child its descriptor `from` as `to`, too.
  void duplicate(int from, int to);
  /// Opens `path` as the child's descriptor `to`, with the flags and the mode of open(2).
  void open(int to, const std::string& path, int flags, mode_t mode = 0);
  /// Closes the child's descriptors from `first` on.
  void close_from(int first);
  /// Starts the child in `folder`.
  void work_in(const std::string& folder);
  /// Holds the child to `confinement`, which must stay until it is started.
  void confine(const Confinement& confinement) { confinement_ = &confinement; }

  /// Starts `program`, a path, with the words and the variables ("NAME=value") given; its number in `child`. 0, or an errno.
  ///
  /// Where the application ignores SIGCHLD or has a handler for it, a child with a group of its own ends for this process alone:
  /// wait with `any_child()`.
  int start(pid_t* child, const std::string& program, std::vector<std::string> words,
            std::vector<std::string> variables) const;

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

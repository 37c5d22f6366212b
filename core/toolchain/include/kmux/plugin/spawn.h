#pragma once

#include <spawn.h>
#include <string>
#include <sys/types.h>
#include <vector>

#include "kmux/plugin/descriptor.h"

namespace kmux {

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

  /// Starts `program`, a path, with the words and the variables ("NAME=value") given; its number in `child`. 0, or an errno.
  int start(pid_t* child, const std::string& program, std::vector<std::string> words,
            std::vector<std::string> variables) const;

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace kmux

#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "kmux/plugin/descriptor.h"

namespace kmux {

// What systems do differently, and nothing else: all of it has a way of Linux and a portable one, in platform.cpp alone
// (docs/design/0048-portable.md).

/// Was this built the portable way (-DKMUX_PORTABLE=ON, and wherever there is no Linux)?
bool is_portable();

/// Does this process have rights that the user who started it may not have (a set-user-ID program)? Then its environment is theirs.
bool has_added_rights();

/// The environment of this process, as `environ`.
char** process_environment();

/// The folder with Linux's proc and sys; where there is no Linux, a path below which there is nothing.
std::filesystem::path linux_root();

/// A folder of this machine alone that a boot empties, or that at least no other machine sees.
std::filesystem::path machine_folder();

/// What identifies this boot of the machine; empty where the system does not say.
std::string boot_id();

/// What identifies the namespace that numbers of processes belong to; empty where there is but one.
std::string process_namespace();

/// Now, on the clock that stamps files or before: a file that changes later is stamped with this or more.
timespec file_clock();

/// Makes a pipe, or a pair of connected local sockets, that children do not inherit. 0, or an errno.
int make_pipe(std::array<int, 2>& ends);
/// As `make_pipe`.
int make_socket_pair(std::array<int, 2>& ends);

/// What poll(2) is asked for to learn that the other end of a socket has gone; POLLHUP is told unasked.
short hang_up_event();

/// Has a child closed all its descriptors from `first` on, but those that it closes on exec anyway.
void add_close_from(posix_spawn_file_actions_t& actions, int first);

/// The processes of the session of `leader`, which may have ended but must not be reaped.
std::vector<pid_t> session_members(pid_t leader);

/// Opens a shared library of these bytes that is an instance of its own; null, and `why`. `what` is a word for its file, and
/// `file` stays open as long as the library.
void* open_library_of(std::string_view bytes, const std::string& what, Descriptor& file, std::string& why);

/// Lets other threads of this process go before the calling one, if the system knows priorities of threads.
void yield_to_others(int nice);

/// Is the caller the thread that the process began with?
bool is_first_thread();

/// Waits for one of `signals`, which are blocked, at most as long as `most`, and takes it. 0 or less: none came.
int wait_for_signal(const sigset_t& signals, const timespec& most);

/// Fills `set`, of `bytes`, with a bit for each processor that this process may run on. 0, or -1 and errno: EINVAL for a set that is
/// too small.
int get_affinity(std::size_t bytes, void* set);

/// Units: bytes, of the machine.
struct MachineMemory {
  std::uint64_t free = 0;  ///< that nothing uses; all of it where the system does not say
  std::uint64_t total = 0;  ///< that there is
};
/// What it has now.
MachineMemory machine_memory();

/// Units: bytes. The most that `who` has had in memory: RUSAGE_SELF, or RUSAGE_CHILDREN's largest one that has ended.
///
/// Source: getrusage(2).
std::uint64_t most_resident(int who);

/// Forks without what fork() runs besides: the child's end sends no signal, so only a wait with `any_child()` sees it, whatever the
/// application does with SIGCHLD. The child may call only what a signal handler may. -1 where there is no such fork.
pid_t fork_unheard();

/// The flag of waitpid() for children of either kind.
int any_child();

/// Closes every descriptor.
void close_all();

/// Whether that process is stopped, by a signal or a debugger; false where it cannot be known.
bool is_stopped(pid_t process);

/// Locks by number between the processes of a machine, all in the file at one path or beside it.
///
/// Threads: any.
class NumberedLocks {
 public:
  /// Opens the file; makes it if need be.
  explicit NumberedLocks(std::filesystem::path path);

  /// Could it be opened?
  bool is_open() const;
  /// Would another object for that path lock the same?
  bool is_current() const;
  /// 0, or an errno: EAGAIN or EACCES if another has it, or this object.
  int take(std::int64_t number);
  /// Gives back what `take` took. A child of fork() has its parent's locks and must not.
  void give(std::int64_t number);
  /// The process that has the lock, or 0 where it cannot be known.
  pid_t holder(std::int64_t number) const;

 private:
  std::filesystem::path path_;
  Descriptor file_;  // of Linux's way: locks are bytes of it
  std::mutex mutex_;
  std::map<std::int64_t, Descriptor> held_;  // of the portable way: a file each
};

}  // namespace kmux

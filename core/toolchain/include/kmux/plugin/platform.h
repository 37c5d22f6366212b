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

// The differences between operating systems: each function has a Linux and a portable implementation, all in
// platform.cpp (docs/design/0048-portable.md).

/// Returns true in a portable build (-DKMUX_PORTABLE=ON, and on any system but Linux).
bool is_portable();

/// Returns true if this process has privileges that its caller may lack (a set-user-ID program). Its environment is
/// then untrusted.
bool has_added_rights();

/// Returns the environment of this process, like `environ`.
char** process_environment();

/// Returns the folder that contains Linux's proc and sys; on other systems a path with nothing below it.
std::filesystem::path linux_root();

/// Returns a machine-local folder that a boot empties, or that at least no other machine shares.
std::filesystem::path machine_folder();

/// Returns an identity of this boot of the machine; empty if the system has none.
std::string boot_id();

/// Returns an identity of the namespace of process ids; empty if the system has only one.
std::string process_namespace();

/// Returns the current time of the clock that stamps files, or slightly earlier: a file that changes later gets this
/// stamp or a later one.
timespec file_clock();

/// Makes a pipe whose descriptors are closed on exec. Returns 0 or an errno.
int make_pipe(std::array<int, 2>& ends);
/// Same for a pair of connected local sockets.
int make_socket_pair(std::array<int, 2>& ends);

/// Returns the poll(2) event to request for hang-ups of a socket's other end; POLLHUP is always reported.
short hang_up_event();

/// Makes a child close all descriptors from `first` on, except those that are closed on exec anyway.
void add_close_from(posix_spawn_file_actions_t& actions, int first);

/// Returns the processes in the session of `leader`. It may have ended but must not have been reaped.
std::vector<pid_t> session_members(pid_t leader);

/// Loads a shared library from `bytes` as a separate instance; on failure returns null and sets `why`. `what` is a
/// one-word name for its file. `file` stays open as long as the library.
void* open_library_of(std::string_view bytes, const std::string& what, Descriptor& file, std::string& why);

/// Lowers the calling thread's priority by `nice`, if the system has thread priorities.
void yield_to_others(int nice);

/// Returns true if the caller is the main thread.
bool is_first_thread();

/// Waits at most `most` for one of `signals`, which must be blocked, and consumes it. Returns it, or 0 or less if none
/// arrived.
int wait_for_signal(const sigset_t& signals, const timespec& most);

/// Fills `set`, of `bytes` bytes, with a bit for each processor that this process may use. Returns 0, or -1 and errno:
/// EINVAL if the set is too small.
int get_affinity(std::size_t bytes, void* set);

/// The memory of the machine. Units: bytes.
struct MachineMemory {
  std::uint64_t free = 0;  ///< unused memory; equals `total` if unknown
  std::uint64_t total = 0;  ///< installed memory
};
/// Returns the current state of the memory.
MachineMemory machine_memory();

/// Returns the peak resident memory of `who`: RUSAGE_SELF, or RUSAGE_CHILDREN for the largest ended child. Units:
/// bytes.
///
/// Source: getrusage(2).
std::uint64_t most_resident(int who);

/// Forks without fork()'s handlers. The child's end sends no signal and is visible only to a wait with `any_child()`,
/// whatever the application does with SIGCHLD. The child may only call async-signal-safe functions. Returns -1 where
/// unsupported.
pid_t fork_unheard();

/// Returns the waitpid() flag that covers both kinds of children.
int any_child();

/// Closes all descriptors of the process, where supported.
void close_all();

/// Returns true if the process is stopped, by a signal or a debugger; false if unknown.
bool is_stopped(pid_t process);

/// Locks by number between the processes of a machine, all in the file at one path or in files beside it.
///
/// Threads: thread-safe.
class NumberedLocks {
 public:
  /// Opens the file, creating it if necessary.
  explicit NumberedLocks(std::filesystem::path path);

  /// Returns true if the file could be opened.
  bool is_open() const;
  /// Returns true if a new object for the path would use the same locks.
  bool is_current() const;
  /// Takes a lock. Returns 0 or an errno: EAGAIN or EACCES if it is held, by this object or another.
  int take(std::int64_t number);
  /// Releases a lock of `take`. A child of fork() must not: the locks are still its parent's.
  void give(std::int64_t number);
  /// Returns the process that holds the lock, or 0 if unknown.
  pid_t holder(std::int64_t number) const;

 private:
  std::filesystem::path path_;
  Descriptor file_;  // Linux: locks are bytes of it
  std::mutex mutex_;
  std::map<std::int64_t, Descriptor> held_;  // portable: a file each
};

}  // namespace kmux

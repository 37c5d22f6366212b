// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

#include "kmux/plugin/descriptor.h"

namespace kmux {

/// What a child process, and all that it starts, may do with files. Besides, it gets no rights by a program that it starts, opens no
/// sockets, looks into no other process, and has limits (docs/security.md). What the kernel lacks of this is left out.
///
/// Source: Linux, Documentation/userspace-api/landlock.rst and seccomp_filter.rst.
struct Confinement {
  std::vector<std::string> reads = {};  ///< files and folders, with all below them, to be read and run
  std::vector<std::string> writes = {};  ///< folders in which all may be done, and devices
  bool is_timed = true;  ///< whether an hour of processor time is the most; false for a process that serves for long
  bool operator==(const Confinement&) const = default;
};

/// Returns what of this system any compiler needs to read: programs, libraries, devices such as /dev/null, the folders of PATH and
/// LD_LIBRARY_PATH, and those of KMUX_COMPILER_READS, which a user sets where a toolchain is spread over others.
std::vector<std::string> system_reads();

/// Returns the folders of KMUX_COMPILER_WRITES, which a user sets for a compiler with a cache.
std::vector<std::string> user_writes();

/// Returns the folder of the installation that `program` belongs to: the one with its "bin", else its own. Links are resolved.
std::string installation_of(const std::string& program);

/// A confinement as the kernel takes it.
class PreparedConfinement {
 public:
  /// Makes what the kernel needs of `confinement`: opens the paths that are there.
  explicit PreparedConfinement(const Confinement& confinement);

  /// Holds the calling thread, and the processes that it starts, to it. It cannot be undone: the thread must end soon.
  ///
  /// Threads: the calling one. Takes no memory: a child of fork() may call it.
  void apply() const;

 private:
  Descriptor files_;  // of Landlock
  std::vector<std::uint64_t> calls_;  // seccomp's filter
};

/// Limits the resources of `process` and of the processes that it starts afterwards: no core files, 4 GiB a file, memory as the
/// machine has, and an hour of processor time a process where it `is_timed`. Lower limits stay.
void limit_process(pid_t process, bool is_timed);

/// Returns what holds children on this machine, for people: "Landlock 7, seccomp", or "limits alone" and why.
std::string confinement_here();

}  // namespace kmux

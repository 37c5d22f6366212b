// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

#include "kmux/plugin/descriptor.h"

namespace kmux {

/// The file accesses that a child process and its descendants may make. The child also gains no privileges through
/// programs it runs, opens no sockets, cannot inspect other processes, and has resource limits (docs/security.md).
/// Parts that the kernel does not support are skipped.
///
/// Source: Linux, Documentation/userspace-api/landlock.rst and seccomp_filter.rst.
struct Confinement {
  std::vector<std::string> reads = {};  ///< files and folders, with all below, to read and execute
  std::vector<std::string> writes = {};  ///< folders with all rights, and devices
  bool is_timed = true;  ///< true limits processor time to an hour; false for long-running servers
  bool operator==(const Confinement&) const = default;
};

/// Returns the system paths that any compiler must read: programs, libraries, devices such as /dev/zero, the folders of
/// PATH and LD_LIBRARY_PATH, and those of KMUX_COMPILER_READS, which users set for toolchains in other folders.
std::vector<std::string> system_reads();

/// Returns the folders of KMUX_COMPILER_WRITES, which users set for a compiler with a cache.
std::vector<std::string> user_writes();

/// Returns the root of the installation of `program`: the folder above its "bin", but its own folder where that is not
/// "bin", or where the folder above contains the user's home. Links are resolved.
std::string installation_of(const std::string& program);

/// Returns the installation that `path` belongs to, without links: the folder above the "bin" or "lib" that `path` is or lies in, or
/// the folder of Python packages above it. Returns `path` itself where there is neither, or where that folder contains the user's home.
std::string installation_around(const std::string& path);

/// Returns true for a folder that contains the user's home, and for the root.
bool contains_home(const std::filesystem::path& folder);

/// A confinement in the kernel's form.
class PreparedConfinement {
 public:
  /// Builds the kernel objects for `confinement` and opens its paths. Missing paths allow nothing.
  explicit PreparedConfinement(const Confinement& confinement);

  /// Confines the calling thread and the processes that it starts. Irreversible: the thread must end soon.
  ///
  /// Threads: affects the calling one. Allocates no memory: a child of fork() may call it.
  void apply() const;

 private:
  Descriptor files_;  // Landlock ruleset
  std::vector<std::uint64_t> calls_;  // seccomp filter
};

/// Limits the resources of `process` and its later descendants: no core files, 4 GiB a file, the machine's total
/// memory, and, if `is_timed`, an hour of processor time a process. Lower limits stay.
void limit_process(pid_t process, bool is_timed);

/// Returns a description of this machine's confinement for messages: "Landlock 7, seccomp", or the missing parts and
/// the reason.
std::string confinement_here();

}  // namespace kmux

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <thread>

#include "kmux/compile.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/runtime.h"

namespace kmux::bench {

/// Returns the memory that a build of `program` needs, measured in one uncached build in a worker process of kmux,
/// including the compilers that it starts. The calling process does not count: its compilers have built the program
/// before, and memory that they kept would hide the need. Units: bytes.
///
/// Errors: those of `build` with isolation "process"; unavailable if the system does not report it.
Result<std::uint64_t> build_memory(const Runtime& runtime, const Program& program, CompileOptions options,
                                   const std::filesystem::path& folder);

/// The facts of a process that the system exposes.
struct ProcessFacts {
  pid_t parent = 0;
  std::uint64_t most_bytes = 0;  // peak memory
  std::string program;  // its file; empty if hidden by the system
};

/// Processes by id.
using Processes = std::map<pid_t, ProcessFacts>;

/// Returns all processes of this machine that are visible now.
///
/// Source: proc(5), status: PPid, VmHWM.
Processes processes_now();

/// Parses /proc/PID/status, without the program; returns nothing for a process that has ended.
std::optional<ProcessFacts> facts_in(std::string_view status);

/// Returns the sum of the peak memory of all descendants of `root`, except those in `others` and their descendants.
/// Units: bytes.
///
/// A forked copy that still runs its parent's program counts only its excess over the parent: it shares the rest.
std::uint64_t memory_under(const Processes& processes, pid_t root, const Processes& others);

/// Watches the memory of the processes that this process starts from now on.
///
/// Threads: used by one; samples about every millisecond on a separate thread.
class MemoryWatch {
 public:
  MemoryWatch();

  /// Takes a last sample and stops. Returns the peak of `memory_under` for this process. Units: bytes.
  std::uint64_t stop();

 private:
  void look();
  Processes others_;
  std::uint64_t most_ = 0;  // owned by the thread until it has ended
  std::jthread thread_;
};

}  // namespace kmux::bench

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

/// Units: bytes. What a build of `program` takes in memory: it is made once, without the cache, in a worker process of kmux;
/// this and the compilers that it starts count. This process does not: compilers in it have built the program before, and
/// what they kept would hide what a build takes.
///
/// Errors: those of `build` with isolation "process"; unavailable where the system does not say.
Result<std::uint64_t> build_memory(const Runtime& runtime, const Program& program, CompileOptions options,
                                   const std::filesystem::path& folder);

/// A process, as the system shows it.
struct ProcessFacts {
  pid_t parent = 0;
  std::uint64_t most_bytes = 0;  // that it has ever had in memory
  std::string program;  // its file; empty where the system hides it
};

/// By their numbers.
using Processes = std::map<pid_t, ProcessFacts>;

/// All processes of this machine that can be seen now.
///
/// Source: proc(5), status: PPid, VmHWM.
Processes processes_now();

/// What /proc/PID/status says, without the program; nothing for a process that has ended.
std::optional<ProcessFacts> facts_in(std::string_view status);

/// Units: bytes. What the processes that `root` started, and those that they started, have had in memory at most, each by
/// itself, all added; those in `others` and what they started do not count.
///
/// A copy of its parent, which has not begun a program of its own, counts by what it has more: it shares the rest.
std::uint64_t memory_under(const Processes& processes, pid_t root, const Processes& others);

/// Watches the memory of what this process starts from now on.
///
/// Threads: one uses it; it looks about every millisecond from a thread of its own.
class MemoryWatch {
 public:
  MemoryWatch();

  /// Units: bytes. Looks a last time and ends: the most that `memory_under` this process has been.
  std::uint64_t stop();

 private:
  void look();
  Processes others_;
  std::uint64_t most_ = 0;  // of the thread until it has ended
  std::jthread thread_;
};

}  // namespace kmux::bench

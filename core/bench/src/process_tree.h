#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace kmux::bench {

/// A process, as the system shows it.
struct ProcessFacts {
  pid_t parent = 0;
  std::uint64_t most_bytes = 0;  // that it has ever had in memory
  std::string program;           // its file; empty where the system hides it
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

}  // namespace kmux::bench

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "kmux/plugin/platform.h"

namespace kmux {

/// How many threads of this process can run at the same time: its affinity, and what its control groups allow.
///
/// `root` stands for "/", for tests; where there is no Linux, all processors are usable.
/// Source: sched_getaffinity(2); Linux, Documentation/admin-guide/cgroup-v2.rst, cpu.max; Documentation/scheduler/sched-bwc.rst,
/// cpu.cfs_quota_us.
std::size_t usable_cores(const std::filesystem::path& root = linux_root());

/// Units: bytes that this process can still take before the machine swaps or kills processes: what the machine has
/// available, and what each of the process's control groups (version 2, or version 1's memory) has left, caches of files
/// aside. No limit at all is the largest number.
///
/// Source: proc(5), MemAvailable; cgroup-v2.rst, memory.max and memory.stat; cgroup-v1/memory.rst.
std::uint64_t available_memory(const std::filesystem::path& root = linux_root());

/// As `get_affinity`.
using GetAffinity = std::function<int(std::size_t bytes, void* set)>;

/// The processors that this process may run on, however many the machine has; all of the machine's where that cannot be read.
/// `get` stands for the system, for tests.
///
/// Source: sched_getaffinity(2).
std::size_t cores_of_affinity(const GetAffinity& get = get_affinity);

/// Units: bytes of this process that are in memory now; 0 if the system does not say.
std::uint64_t resident_bytes();

/// Units: bytes. The most that this process has had in memory. On Linux not, as getrusage's is, what the process that started it
/// had in the moment of its start.
/// Source: proc(5), VmHWM; getrusage(2), notes on ru_maxrss after vfork and execve.
std::uint64_t peak_resident_bytes();

}  // namespace kmux

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "kmux/plugin/platform.h"

namespace kmux {

/// Returns how many threads of this process can run at the same time: the smallest limit of its affinity and its
/// control groups.
///
/// `root` replaces "/" in tests. Without Linux, all processors are usable.
/// Source: sched_getaffinity(2); Linux, Documentation/admin-guide/cgroup-v2.rst, cpu.max; Documentation/scheduler/sched-bwc.rst,
/// cpu.cfs_quota_us.
std::size_t usable_cores(const std::filesystem::path& root = linux_root());

/// Returns the memory that this process can still take before the machine swaps or kills processes: the least of the
/// machine's available memory and the memory left in each of the process's control groups (version 2, or version 1's
/// memory). Inactive file caches count as free. Returns the largest number if there is no limit.
///
/// Units:  bytes.
/// Source: proc(5), MemAvailable; cgroup-v2.rst, memory.max and memory.stat; cgroup-v1/memory.rst.
std::uint64_t available_memory(const std::filesystem::path& root = linux_root());

/// As `get_affinity`.
using GetAffinity = std::function<int(std::size_t bytes, void* set)>;

/// Returns the number of processors that this process may run on, or all of the machine's if the affinity cannot be
/// read. `get` replaces the system call in tests.
///
/// Source: sched_getaffinity(2).
std::size_t cores_of_affinity(const GetAffinity& get = get_affinity);

/// Returns the resident memory of this process, or 0 if the system does not report it. Units: bytes.
std::uint64_t resident_bytes();

/// Returns the peak resident memory of this process. Unlike getrusage's on Linux, it excludes the memory of the parent
/// process at the start of this one. Units: bytes.
///
/// Source: proc(5), VmHWM; getrusage(2), notes on ru_maxrss after vfork and execve.
std::uint64_t peak_resident_bytes();

}  // namespace kmux

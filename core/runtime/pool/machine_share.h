#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace kmux {

/// How many threads of this process can run at the same time: its affinity, and what its control groups allow.
///
/// `root` stands for "/", for tests.
/// Source: sched_getaffinity(2); Linux, Documentation/admin-guide/cgroup-v2.rst, cpu.max.
std::size_t usable_cores(const std::filesystem::path& root = "/");

/// Units: bytes that this process can still take without anybody swapping or being killed: what the machine has
/// available, and what each of the process's control groups (version 2, or version 1's memory) has left, caches of files
/// aside. No limit at all is the largest number.
///
/// Source: proc(5), MemAvailable; cgroup-v2.rst, memory.max and memory.stat; cgroup-v1/memory.rst.
std::uint64_t available_memory(const std::filesystem::path& root = "/");

}  // namespace kmux

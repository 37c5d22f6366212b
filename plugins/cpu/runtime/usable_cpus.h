#pragma once

namespace kmux::cpu {

/// How many processors this process may use, at least 1: those that its main thread may run on (taskset), at most what the
/// quotas of its control groups come to, rounded up (containers). Reads files.
///
/// Threads: any.
unsigned usable_cpus();

/// The quota alone, of the process that `/proc/self/cgroup` is about, with control groups mounted at `root`; 0: there is none.
///
/// Source: cgroups(7); the kernel's admin-guide/cgroup-v2 (cpu.max) and cgroup-v1 (cpu.cfs_quota_us).
unsigned quota_cpus(const char* self_cgroup, const char* root);

/// Lets the calling thread run wherever the main thread may, whichever thread has made it.
void run_on_usable_cpus();

}  // namespace kmux::cpu

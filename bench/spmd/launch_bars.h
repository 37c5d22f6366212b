#pragma once

#include <string>

namespace kmux::bench::spmd {

/// What Kernel::launch takes of a kernel of one block more than a native function that does its work, called through a
/// pointer. Units: nanoseconds.
double one_block_launch_ns();

/// Our speed on two processors over that on one, of kernels that compute: the least. In processes of their own, since one asks
/// once how many processors it may use.
double two_threads_ratio();
std::string missing_processors();
/// What such a process does: prints the seconds of a launch of problem number `which` on one or two processors.
int print_seconds(const std::string& which, const std::string& processors);

}  // namespace kmux::bench::spmd

#pragma once

#include <string>

namespace kmux::bench::spmd {

/// What Kernel::launch takes of a kernel of one block more than a native function that does its work, called through a
/// pointer. Units: nanoseconds.
double one_block_launch_ns();

/// Our speed on two processors over that on one, of kernels that compute: the least.
double two_threads_ratio();
std::string missing_processors();

}  // namespace kmux::bench::spmd

#pragma once

#include <cstdint>

namespace kmux::simt {

/// Returns the address in block `rank` of the running cluster that corresponds to `own`, an address in the shared
/// memory of any of its blocks.
///
/// Errors: throws KernelFailure if there is no such block, or `own` is not in shared memory.
/// Threads: the running thread of a FiberLaunch.
char* peer_address(const void* own, unsigned rank);

}  // namespace kmux::simt

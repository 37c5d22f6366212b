#pragma once

#include <cstdint>

namespace kmux::simt {

/// Returns the address in block `rank` of the running cluster that corresponds to `own`, an address in the shared
/// memory of any of its blocks.
///
/// Errors: throws KernelFailure if there is no such block, or `own` is not in shared memory.
/// Threads: the running thread of a FiberLaunch.
char* peer_address(const void* own, unsigned rank);

/// Notes that a unit has written `bytes` bytes at `address`, if the kernel is checked. Memory that is not shared needs
/// no note.
///
/// Threads: the running thread of a FiberLaunch.
void note_unit_write(const char* address, std::uint64_t bytes);

}  // namespace kmux::simt

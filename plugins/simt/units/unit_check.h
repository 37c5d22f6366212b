#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "simt/check/fiber_block.h"
#include "simt/units/warp_product.h"

namespace kmux::simt {

/// Returns "byte 128 of shared memory", with the rank of its block if that is another than the running one.
std::string place_in_shared(const void* address);

/// Returns true if the running kernel is checked.
inline bool is_checked() { return FiberLaunch::current().check() != nullptr; }

// Checks of units. Each function does nothing if the kernel is not checked.
// Threads: the running thread of a FiberLaunch.

/// Returns the checked state of the mbarrier at `address`; null if there is none.
CheckedMbarrier* find_mbarrier(const void* address);
/// Checks that the initialisation of the mbarrier at `address` is visible to the running thread. Returns its
/// checked state, or null.
CheckedMbarrier* use_mbarrier(const void* address);

/// Adds the clock of the running thread to an mbarrier, which may be in another block. `known`: null if it is not checked.
void check_arrival(const void* address, CheckedMbarrier* known);

/// Checks the initialisation of an mbarrier, whose word is still as before.
void check_init(std::uint64_t* barrier);
/// Checks that an mbarrier may be invalidated.
void check_invalidation(std::uint64_t* barrier);

/// Checks a copy that writes `bytes` bytes of shared memory and completes at `barrier`.
void check_copy_write(const char* to, std::uint64_t bytes, const void* barrier, TileSwizzle swizzle = kUnknownSwizzle);
/// Checks a copy that reads shared memory, and completes at `barrier` or in a bulk group if that is null.
void check_copy_read(const char* from, std::uint64_t bytes, const void* barrier);

/// Notes that cp.async writes bytes which the running thread has just written in its place.
void check_small_copy(const char* to, std::uint64_t bytes);
/// Adds the earlier cp.async of the running thread to `barrier`.
void arrive_copies(const void* barrier);

/// Checks the reads of matrices in shared memory by the wgmma of a warp. Null: in registers.
void check_product_reads(std::span<Thread* const> lanes, const ProductOperands& operands, const SharedWindow& window);

/// Checks setmaxnreg of a warp, which asks for `registers` a thread.
void check_registers(std::span<Thread* const> lanes, unsigned registers);

/// Checks an access of the running thread itself. Returns the address, or that of scratch memory.
char* check_own_access(char* address, std::uint64_t bytes, unsigned kind);

/// Adds the clock of the running thread to `barrier`.
void arrive_clock(BarrierClock& barrier);
/// Joins the accesses that `barrier` orders before its waiters into the clock of the running thread.
void acquire_clock(BarrierClock& barrier);

}  // namespace kmux::simt

// The kernel interface of a fake device, for both sides of a launch. On the device, each block also fills its dynamic
// shared memory with junk, checks a guard behind it, and reports threads that deadlock.
#pragma once

/// The arguments of a launch, its shared memory and its faults.
struct kmux_launch {
  void* const* arguments;  // the address of each
  unsigned long long dynamic_bytes;  // of shared memory that the launch requests; the guard is added to it
  unsigned faults;  // reported by kernels, kmux_fault
};
enum kmux_fault : unsigned { kmux_fault_deadlock = 1, kmux_fault_overrun = 2 };
enum kmux_bytes_of_guard : unsigned { kmux_guard_bytes = 64 };

#ifdef KMUX_ON_DEVICE

extern __shared__ char kmux_dynamic[];

KMUX_DEVICE unsigned kmux_index_in_block() {
  return (kmux_thread_z() * kmux_block_dim_y() + kmux_thread_y()) * kmux_block_dim_x() + kmux_thread_x();
}
KMUX_DEVICE void kmux_report(kmux_launch* launch, unsigned fault) {
  __atomic_fetch_or(&launch->faults, fault, __ATOMIC_RELAXED);
}

// KMUX_HAS_DYNAMIC: the source has dynamic shared memory. The first warp of a block begins before the others.
constexpr unsigned char kmux_spoilt = 0xa5, kmux_guard = 0x5a;
KMUX_DEVICE void kmux_spoil(const kmux_launch* launch) {
  if (kmux_index_in_block() != 0) return;
  __builtin_memset(kmux_dynamic, kmux_spoilt, launch->dynamic_bytes);
  __builtin_memset(kmux_dynamic + launch->dynamic_bytes, kmux_guard, kmux_guard_bytes);
}
KMUX_DEVICE void kmux_check_guard(kmux_launch* launch) {
  unsigned char differs = 0;
  for (unsigned i = 0; i < kmux_guard_bytes; ++i) {
    differs |= static_cast<unsigned char>(kmux_dynamic[launch->dynamic_bytes + i]) ^ kmux_guard;
  }
  if (differs != 0) kmux_report(launch, kmux_fault_overrun);
}

// KMUX_HAS_MEETINGS: the source has barriers of the block and convergence operations of the warp. A device that waits
// for all live threads of a warp or block would deadlock if some threads wait for one and others for the other. These
// are the lanes that have waited for each, when not all of their warp did:
struct kmux_meetings {
  kmux_lanes of_block, of_warp;
};
KMUX_DEVICE kmux_meetings* kmux_meetings_of_warp() {
  __shared__ kmux_meetings all[1024 / KMUX_WAVEFRONT];
  return &all[kmux_index_in_block() / KMUX_WAVEFRONT];
}
KMUX_DEVICE void kmux_waits_for_block() {
#ifdef KMUX_HAS_MEETINGS
  const kmux_lanes here = kmux_ballot(1);
  if (here != ~kmux_lanes{}) kmux_meetings_of_warp()->of_block |= here;
#endif
}
KMUX_DEVICE void kmux_waits_for_warp() {
#ifdef KMUX_HAS_MEETINGS
  const kmux_lanes here = kmux_ballot(1);
  if (here != ~kmux_lanes{}) kmux_meetings_of_warp()->of_warp |= here;
#endif
}
KMUX_DEVICE void kmux_check_meetings(kmux_launch* launch) {
  const kmux_meetings met = *kmux_meetings_of_warp();
  if ((met.of_block & ~met.of_warp) != 0 && (met.of_warp & ~met.of_block) != 0)
    kmux_report(launch, kmux_fault_deadlock);
}

KMUX_DEVICE void kmux_begin_block([[maybe_unused]] kmux_launch* launch) {
#ifdef KMUX_HAS_DYNAMIC
  kmux_spoil(launch);
#endif
#ifdef KMUX_HAS_MEETINGS
  *kmux_meetings_of_warp() = {0, 0};
#endif
}
KMUX_DEVICE void kmux_end_block([[maybe_unused]] kmux_launch* launch) {
#ifdef KMUX_HAS_DYNAMIC
  kmux_check_guard(launch);
#endif
#ifdef KMUX_HAS_MEETINGS
  kmux_check_meetings(launch);
#endif
}

/// Defines kernel `symbol` of a GridSource, whose remaining arguments are the work of a thread; `launch` is in scope.
#define KMUX_GRID_KERNEL(symbol, ...)                      \
  extern "C" __global__ void symbol(kmux_launch* launch) { \
    kmux_begin_block(launch);                              \
    __VA_ARGS__;                                           \
    kmux_end_block(launch);                                \
  }

#endif

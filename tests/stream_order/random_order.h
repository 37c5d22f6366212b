#pragma once

#include <cstdint>
#include <string>

#include "order_kernels.h"

namespace kmux::order {

/// Runs a random program over `kernels`, on a fake device with a random legal order. It allocates in calls, launches,
/// copies, drops tensors, creates and destroys streams, and exchanges tensors as DLPack, beside its captures and those
/// of others. Compares the results with a model that executes everything at once.
///
/// The program orders its own accesses by events, as an application must. It leaves the reuse of memory to kmux.
///
/// Returns the first error: a wrong value, use of freed memory, a leak, an invalidated capture, an error; empty if all
/// is right.
/// Lifetime: leaves the fake device idle and undeferred.
std::string run_random_order(FakeCuda& fake, const OrderKernels& kernels, std::uint64_t seed);

}  // namespace kmux::order

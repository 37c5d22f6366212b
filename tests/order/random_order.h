#pragma once

#include <cstdint>
#include <string>

#include "order_kernels.h"

namespace kmux::order {

/// Runs a random program over `kernels`: calls that allocate, launches, drops of tensors, streams that come and go, copies,
/// tensors that leave and come back as DLPack, captures by others and of our own; all on a fake device that does things in
/// a random legal order. Compares what is read back with a model that does everything at once.
///
/// The program orders its own accesses by events, as an application has to. It leaves to kmux what is kmux's: when memory is
/// given to somebody else.
///
/// Returns what went wrong: a wrong value, use of freed memory, a leak, a spoiled capture, an error; empty if nothing did.
/// Lifetime: leaves the fake device idle and undeferred.
std::string run_random_order(FakeCuda& fake, const OrderKernels& kernels, std::uint64_t seed);

}  // namespace kmux::order

#pragma once

#include "kmux/compile.h"
#include "kmux/kernel.h"

namespace kmux {

/// A kernel of dialect cuda with work for several threads of the pool, some milliseconds for one: 4000 blocks, each
/// of which writes its number, after a while in shared memory.
Program counting_on_grid();

/// Calls a kernel of it.
///
/// Errors: those of the call; internal for a wrong result.
Status call_counting(const Kernel& kernel);

}  // namespace kmux

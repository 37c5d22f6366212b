#pragma once

#include "kmux/compile.h"
#include "kmux/kernel.h"

namespace kmux {

/// Returns a program of dialect cuda whose kernel has work for several threads of the pool, some milliseconds for one.
/// Each of its 4000 blocks writes its number, after a while in shared memory.
Program counting_on_grid();

/// Calls a kernel of `counting_on_grid`.
///
/// Errors: those of the call; internal for a wrong result.
Status call_counting(const Kernel& kernel);

}  // namespace kmux

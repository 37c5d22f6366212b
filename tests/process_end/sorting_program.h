#pragma once

#include "kmux/compile.h"
#include "kmux/kernel.h"

namespace kmux {

/// Sorts 64 numbers, with some standard headers, so that the better tier takes a while. Another `number` is another program.
Program sorting(int number);

/// The same with one small header, for tests that compile it a hundred times.
Program quick_sorting();

/// Calls a kernel of it.
///
/// Errors: those of the call; internal for a wrong result.
Status call_sorting(const Kernel& kernel);

/// 0, or what it prints: 3 for an error, 4 for a wrong result.
int compile_and_call(Runtime& runtime, const Program& program);
/// Prints `error`, and returns 3.
int refused(const Error& error);

}  // namespace kmux

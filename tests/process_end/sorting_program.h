#pragma once

#include "kmux/compile.h"
#include "kmux/kernel.h"

namespace kmux {

/// Returns a program that sorts 64 numbers, with some standard headers, so that the better tier takes a while. Each
/// `number` gives a different program.
Program sorting(int number);

/// Returns the same with one small header, for tests that compile it a hundred times.
Program quick_sorting();

/// Calls a kernel of these programs.
///
/// Errors: those of the call; internal for a wrong result.
Status call_sorting(const Kernel& kernel);

/// Returns 0, or after printing the reason 3 for an error, 4 for a wrong result.
int compile_and_call(Runtime& runtime, const Program& program);
/// Prints `error`, and returns 3.
int refused(const Error& error);

}  // namespace kmux

#pragma once

#include <string>

#include "kmux/compile_options.h"

namespace kmux::bench::strangers {

/// The source `name` of kernels/, which has its program in a comment.
inline std::string kernel_path(const std::string& name) {
  return std::string(KMUX_BENCH_STRANGERS) + "/kernels/" + name + ".cu";
}

/// How the bars compile: backend cpu, from no cache.
inline CompileOptions cpu_options(const std::string& tier) {
  return {.execution_backend = "cpu", .options = {{"tier", tier}}, .use_cache = false};
}

/// The least speed of kernels as strangers write them, over that of C++ which does the same (native.cpp), on one thread.
///
/// Units: 1 is as fast.
double speed_worst();

/// The longest compilation, of either tier, of kernels that once took many seconds: mathematics of constants, bytes in shared memory,
/// and halves at places that differ by lane.
///
/// Units: seconds of the processor, so that what else a machine does plays no part.
double compile_worst();

}  // namespace kmux::bench::strangers

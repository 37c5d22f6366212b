#pragma once

#include <cstdlib>
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

/// Has backend cpu launch on one thread, in a process that has not opened it yet.
inline void use_one_thread() { setenv("KMUX_OPTION_CPU_THREADS", "1", 1); }

}  // namespace kmux::bench::strangers

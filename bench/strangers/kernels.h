#pragma once

#include <cstdlib>
#include <string>

#include "kmux/compile_options.h"

namespace kmux::bench::strangers {

/// Returns the path of source `name` in kernels/, which has its program in a comment.
inline std::string kernel_path(const std::string& name) {
  return std::string(KMUX_BENCH_STRANGERS) + "/kernels/" + name + ".cu";
}

/// Returns the compile options of the bars: backend cpu, without a cache.
inline CompileOptions cpu_options(const std::string& tier) {
  return {.execution_backend = "cpu", .options = {{"tier", tier}}, .use_cache = false};
}

/// Makes backend cpu launch on one thread. Must be called before the process opens the backend.
inline void use_one_thread() { setenv("KMUX_OPTION_CPU_THREADS", "1", 1); }

}  // namespace kmux::bench::strangers

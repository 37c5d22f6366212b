#include "engine/clang_api.h"

namespace kmux::cpu {
namespace {

/// What the plugin calls: the compiler is a library of its own, which the first compilation opens, so that a process that
/// finds all its kernels in the cache never loads Clang.
///
/// Threads: any.
constexpr ClangApi kApi = {
    .version = KMUX_PLUGIN_VERSION,
    .create = [] { return new Compiler; },
    .destroy = [](Compiler* compiler) { delete compiler; },
    .compile = [](Compiler& compiler, const CompileJob& job) { return compiler.compile(job); },
    .system_folders = [](Compiler& compiler, const CompileJob& job,
                         Language language) { return compiler.system_folders(job, language); },
    .functions = [](Compiler& compiler, const CompileJob& job) { return compiler.functions(job); },
    .find_cpu = &find_cpu,
};

}  // namespace
}  // namespace kmux::cpu

extern "C" __attribute__((visibility("default"))) const kmux::cpu::ClangApi* kmux_cpu_clang_query() {
  return &kmux::cpu::kApi;
}

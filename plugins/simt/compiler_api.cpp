#include "simt/compiler_api.h"

namespace kmux::simt {
namespace {

/// The functions that the plugin calls. The compiler is a separate library, which the first compilation opens: a
/// process whose kernels are all cached never loads Clang.
///
/// Threads: any.
constexpr CompilerApi kApi = {
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
}  // namespace kmux::simt

extern "C" __attribute__((visibility("default"))) const kmux::simt::CompilerApi* kmux_cpu_clang_query() {
  return &kmux::simt::kApi;
}

#include "build_memory.h"

#include "kmux/runtime.h"

#include "fresh_runtime.h"
#include "memory_watch.h"

namespace kmux::bench {

Result<std::uint64_t> build_memory(const Runtime& runtime, const Program& program, CompileOptions options,
                                   const std::filesystem::path& folder) {
  KMUX_ASSIGN(const std::shared_ptr<Runtime> fresh, fresh_runtime(runtime, folder));
  options.use_cache = false;
  options.isolation = "process";
  MemoryWatch watch;
  const Result<BuildResult> built = build(*fresh, program, options);
  const std::uint64_t most = watch.stop();  // the worker lives until the runtime goes
  if (!built) return built.error();
  if (most > 0) return most;
  return make_error(ErrorCode::kUnavailable,
                    "the memory of a build is not known (the system does not show processes). Mount /proc.");
}

}  // namespace kmux::bench

#include "kmux/runtime.h"

#include "kmux/version.h"

#include "cache/artifact_cache.h"
#include "cache/runtime_cache.h"
#include "compile/kernel_memo.h"
#include "isolation/isolated_plugins.h"
#include "plugins/support_memo.h"
#include "pool/compile_pool.h"
#include "resolve/backend_history.h"
#include "system/background.h"
#include "system/fork_guard.h"
#include "system/stage_ranges.h"

namespace kmux {

Runtime::Runtime(Environment environment, std::shared_ptr<ArtifactCache> cache, std::unique_ptr<Registry> registry)
    : environment_(std::move(environment)),
      cache_(std::move(cache)),
      registry_(std::move(registry)),
      support_memo_(std::make_shared<SupportMemo>()),
      isolated_plugins_(std::make_shared<IsolatedPlugins>()),
      kernel_memo_(std::make_shared<KernelMemo>()),
      history_(std::make_shared<BackendHistory>(cache_)),
      background_(Background::make()),
      compile_pool_(std::make_shared<CompilePool>(cache_.get())),
      fork_generation_(fork_generation()) {
  show_stage_ranges(environment_);
  registry_->on_unload([memo = std::weak_ptr(kernel_memo_)](std::string_view plugin) {
    if (const auto kernels = memo.lock()) kernels->forget(plugin);
  });
}

// A kernel that is called just now may hold the background, whose jobs use the rest.
Runtime::~Runtime() { background_->stop(); }

Status Runtime::check_process() const {
  if (fork_generation_ == fork_generation()) return Ok{};
  return make_error(
      ErrorCode::kUnavailable,
      "this runtime cannot compile (it was made before fork(), its threads are in the parent). Make a new "
      "one in the child, or take the default one.");
}

std::shared_ptr<Runtime> Runtime::with(Environment environment, std::unique_ptr<Registry> registry) {
  std::shared_ptr<ArtifactCache> cache = open_cache_or_warn(environment);
  return std::shared_ptr<Runtime>(new Runtime(std::move(environment), std::move(cache), std::move(registry)));
}

const char* version() { return KMUX_VERSION; }

}  // namespace kmux

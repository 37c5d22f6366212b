#include "regress/runtimes.h"

#include "kmux/registry.h"
#include "kmux/runtime.h"

namespace kmux::regress {

Shared<Runtime> cacheless_runtime() { return Runtime::create({.disable_cache = true}, {}).value(); }

Shared<Runtime> caching_runtime(const std::filesystem::path& folder) {
  Environment environment;
  environment.cache_dir = folder;
  environment.cache_lock_dir = folder / "locks";
  return Runtime::create(std::move(environment), {}).value();
}

Shared<Runtime> null_runtime() {
  const RegistryOptions options{.search_path = {KMUX_TEST_PLUGIN_DIR "/table"}, .use_default_path = false};
  return Runtime::create({.disable_cache = true}, options).value();
}

}  // namespace kmux::regress

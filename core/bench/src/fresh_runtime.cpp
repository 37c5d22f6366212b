#include "fresh_runtime.h"

namespace kmux::bench {

Result<std::shared_ptr<Runtime>> fresh_runtime(const Runtime& like, const std::filesystem::path& cache) {
  Environment environment = like.environment();
  environment.cache_dir = cache;
  environment.cache_read_only.clear();
  environment.remote_cache.clear();
  environment.disable_cache = false;
  RegistryOptions registry;
  registry.environment_path = environment.plugin_path;
  registry.plugin_options = environment.plugin_options;
  registry.variables = environment.variables;
  return Runtime::create(std::move(environment), registry);
}

}  // namespace kmux::bench

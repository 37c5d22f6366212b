#include "fresh_runtime.h"

#include "kmux/registry.h"
#include "kmux/runtime.h"

namespace kmux::bench {

Result<std::shared_ptr<Runtime>> fresh_runtime(const Runtime& like, const std::optional<std::filesystem::path>& cache) {
  Environment environment = like.environment();
  if (cache) {
    environment.cache_dir = *cache;
    environment.cache_read_only.clear();
    environment.remote_cache.clear();
    environment.disable_cache = false;
  }
  RegistryOptions registry;
  registry.search_path = like.registry().search_path();
  registry.use_default_path = false;
  registry.plugin_options = like.registry().plugin_options();
  return Runtime::create(std::move(environment), registry);
}

}  // namespace kmux::bench

#include <cstdlib>
#include <fstream>

#include "kmux/log.h"
#include "kmux/runtime.h"
#include "kmux/trace.h"

#include "cache/artifact_cache.h"
#include "isolated_plugins.h"
#include "runtime_cache.h"

namespace kmux {
namespace {

// Plugins may keep files of their own there: what is in it was checked when the cache was opened.
constexpr const char* kCacheDirOption = "kmux.cache_dir";

RegistryOptions with_cache_dir(RegistryOptions options, const ArtifactCache* cache) {
  options.plugin_options.erase(kCacheDirOption);
  if (cache != nullptr && !cache->why_read_only()) options.plugin_options[kCacheDirOption] = cache->folder().string();
  return options;
}

Result<std::shared_ptr<Runtime>> make_default_runtime() {
  Environment environment = Environment::from_process();
  if (!environment.trace_file.empty()) start_trace();
  RegistryOptions options;
  options.environment_path = environment.plugin_path;
  options.plugin_options = environment.plugin_options;
  options.variables = environment.variables;
  return Runtime::create(std::move(environment), options);
}

// What KMUX_TRACE asks for.
void write_trace(const std::filesystem::path& path) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::binary);
  file << stop_trace().to_json() << '\n';
  if (!file.flush())
    log(LogLevel::kWarning, "the trace cannot be written to \"" + path.string() + "\". Name another file.");
}

}  // namespace

Result<std::shared_ptr<Runtime>> Runtime::create(Environment environment, const RegistryOptions& registry) {
  std::shared_ptr<ArtifactCache> cache = open_cache_or_warn(environment);
  KMUX_ASSIGN(std::unique_ptr<Registry> opened, Registry::open(with_cache_dir(registry, cache.get())));
  return std::shared_ptr<Runtime>(new Runtime(std::move(environment), std::move(cache), std::move(opened)));
}

Result<std::shared_ptr<Runtime>> Runtime::default_runtime() {
  // Never destroyed: its plugins stay open until the process ends.
  static const auto& instance = *new auto(make_default_runtime());
  static const int ends_at_exit = std::atexit([] {
    if (!instance) return;
    write_trace((*instance)->environment().trace_file);
    if ((*instance)->cache()) (*instance)->cache()->flush();
    (*instance)->isolated_plugins().end_idle();  // so that no worker is left to whoever inherits our children
  });
  static_cast<void>(ends_at_exit);
  return instance;
}

}  // namespace kmux

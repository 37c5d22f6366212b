#include "kmux/runtime.h"

namespace kmux {

Result<std::shared_ptr<Runtime>> Runtime::create(Environment environment, const RegistryOptions& registry) {
  KMUX_ASSIGN(std::unique_ptr<Registry> opened, Registry::open(registry));
  return with(std::move(environment), std::move(opened));
}

Result<std::shared_ptr<Runtime>> Runtime::default_runtime() {
  // Never destroyed: its plugins stay open until the process ends.
  static const auto& instance = *new auto([] {
    Environment environment = Environment::from_process();
    RegistryOptions options;
    options.environment_path = environment.plugin_path;
    options.plugin_options = environment.plugin_options;
    return create(std::move(environment), options);
  }());
  return instance;
}

}  // namespace kmux

#include "choice.h"

#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "compiler_options.h"
#include "isolation/isolated_plugins.h"
#include "tier_plan.h"

namespace kmux {

Result<Choice> choose(Runtime& runtime, const Program& program, const CompileOptions& options,
                      const std::string& backend, std::size_t variant, Target target) {
  KMUX_ASSIGN(const Isolation isolation,
              isolation_of(options.isolation, options.compile_timeout, runtime.environment()));
  const bool apart = runs_apart(runtime, backend, isolation);
  KMUX_ASSIGN(std::shared_ptr<Plugin> plugin, plugin_for(runtime, backend, isolation));
  KMUX_ASSIGN(Options for_compiler, compiler_options(options));
  // Who launches from this machine alone was chosen since target_host says no more than that.
  if (plugin->manifest().target_hosts.empty() && !options.target_host.empty()) for_compiler.erase("target_host");
  Backend* const own = &plugin->backend();
  return Choice{std::move(plugin), own, {program, variant, std::move(target), std::move(for_compiler)}, apart};
}

BuildRequest request_in_tier(const Choice& choice, const std::string& tier) {
  BuildRequest request = choice.request;
  if (!tier.empty()) request.options[kTierOption] = tier;
  return request;
}

}  // namespace kmux

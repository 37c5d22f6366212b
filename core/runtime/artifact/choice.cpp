#include "choice.h"

#include <algorithm>
#include <utility>

#include "kmux/registry.h"

#include "isolation/code_trial.h"
#include "isolation/isolated_plugins.h"
#include "tier_build.h"

namespace kmux {

Result<Choice> choose(IsolatedPlugins& plugins, const CompileSettings& settings, const std::string& backend,
                      const Program& program, std::size_t variant, const std::string& target) {
  KMUX_ASSIGN(Target parsed, parse_target(target));
  const bool isolated = plugins.runs_isolated(backend, settings.isolation);
  KMUX_ASSIGN(Shared<Plugin> plugin, plugins.plugin(backend, settings.isolation));
  KMUX_ASSIGN(std::shared_ptr<const CodeTrial> trial, code_trial(plugins, backend, settings.isolation));
  KMUX_ASSIGN(Options for_compiler, compiler_options(settings.options));
  const Manifest& manifest = plugin->manifest();
  const Options registered = plugins.registry().plugin_options();
  KMUX_ASSIGN(TierPlan tiers, plan_tiers(manifest, for_compiler, registered, settings.purpose));
  // A backend that launches from this machine only was chosen because target_host means this machine: the option is
  // redundant.
  if (manifest.target_hosts.empty() && !settings.options.target_host.empty()) for_compiler.erase("target_host");
  return Choice{.plugin = plugin,
                .backend = &plugin->backend(),
                .request = {program, variant, std::move(parsed), std::move(for_compiler)},
                .settings = settings_of(manifest, registered),
                .tiers = std::move(tiers),
                .isolated = isolated,
                .trial = std::move(trial)};
}

BuildRequest request_in_tier(const Choice& choice, const std::string& tier) {
  BuildRequest request = choice.request;
  if (!tier.empty()) request.options[kTierOption] = tier;
  return request;
}

Options settings_of(const Manifest& manifest, const Options& options) {
  Options settings;
  const std::string prefix = manifest.name + ".";
  for (const auto& [name, value] : options) {
    const bool is_own = name.starts_with(prefix);
    if (!is_own && !manifest.environment.contains(name)) continue;
    if (std::ranges::find(manifest.unkeyed, name) != manifest.unkeyed.end()) continue;
    settings.emplace(is_own ? name.substr(prefix.size()) : name, value);
  }
  return settings;
}

CompileSettings background_settings(const IsolatedPlugins& plugins, CompileSettings settings,
                                    const std::string& backend) {
  const PluginEntry* const entry = settings.isolation.is_free ? plugins.entry_of(backend) : nullptr;
  const bool cannot_be_left = entry != nullptr && entry->manifest.background == kBackgroundProcess;
  if (cannot_be_left && find_worker(worker_places()).ok()) {
    settings.isolation.in_process_of_its_own = true;
    settings.isolation.is_free = false;
  }
  return settings;
}

}  // namespace kmux

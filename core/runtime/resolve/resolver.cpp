#include "kmux/resolver.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "kmux/dlpack.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "artifact/tier_plan.h"
#include "isolation/isolated_plugins.h"
#include "policy_choice.h"
#include "ranking.h"
#include "resolve_services.h"
#include "system/runtime_impl.h"

namespace kmux {
namespace {

/// The variants that no stage has refused yet.
class Survivors {
 public:
  Survivors(const Inquiry& inquiry, const PluginFacts& facts)
      : inquiry_(inquiry), facts_(facts), alive_(inquiry.program.variants.size(), true) {}

  /// Removes the variants that `stage` refuses. Returns true if any is left.
  bool pass(Stage stage) {
    bool any = false;
    for (std::size_t variant = 0; variant < alive_.size(); ++variant) {
      alive_[variant] = alive_[variant] && !refusal(inquiry_, facts_, variant, stage);
      any = any || alive_[variant];
    }
    return any;
  }
  bool has(std::size_t variant) const { return alive_[variant]; }

 private:
  const Inquiry& inquiry_;
  const PluginFacts& facts_;
  std::vector<bool> alive_;
};

/// Removes the tier option if it requests tiered compilation: a backend must get one of its tiers.
Options without_tiered(Options options) {
  const auto tier = options.find(kTierOption);
  if (tier != options.end() && tier->second == kTiered) options.erase(tier);
  return options;
}

std::vector<Result<std::vector<MissingFeature>>> ask_supports(Plugin& plugin, const Inquiry& inquiry,
                                                              const Target& target, const Survivors& survivors) {
  std::vector<Result<std::vector<MissingFeature>>> missing;
  for (std::size_t variant = 0; variant < inquiry.program.variants.size(); ++variant) {
    const BuildRequest request{inquiry.program, variant, target, without_tiered(inquiry.settings.options.options)};
    missing.push_back(survivors.has(variant) ? plugin.backend().supports(request) : std::vector<MissingFeature>{});
  }
  return missing;
}

/// Queries the plugin of `entry` for the facts that the stages need, and stops once every variant is refused: a plugin
/// that its manifest rules out is not opened.
PluginFacts gather(IsolatedPlugins& plugins, const Inquiry& inquiry, const PluginEntry& entry) {
  PluginFacts facts{.manifest = &entry.manifest, .opened = entry.status};
  Survivors survivors(inquiry, facts);
  if (!survivors.pass(Stage::kManifest) || !survivors.pass(Stage::kOpen)) return facts;

  Result<Shared<Plugin>> plugin = plugins.plugin(entry.manifest.name, inquiry.settings.isolation);
  if (!plugin) {
    facts.opened = std::move(plugin).error();
    return facts;
  }
  facts.probe = (*plugin)->probe();
  if (!survivors.pass(Stage::kProbe)) return facts;

  facts.target = (*plugin)->backend().resolve_target(inquiry.settings.options.target, inquiry.settings.options.device);
  if (!survivors.pass(Stage::kTarget)) return facts;

  facts.missing = ask_supports(**plugin, inquiry, *facts.target, survivors);
  return facts;
}

/// Returns the plugins that have a name. Entries without one are refused folders and manifests.
std::vector<const PluginEntry*> named_entries(const Registry& registry) {
  std::vector<const PluginEntry*> entries;
  for (const PluginEntry& entry : registry.entries())
    if (!entry.manifest.name.empty()) entries.push_back(&entry);
  return entries;
}

/// Returns the reasons why folders and manifests are refused.
std::vector<std::string> reasons_of_unread(const Registry& registry) {
  std::vector<std::string> reasons;
  for (const PluginEntry& entry : registry.entries())
    if (entry.manifest.name.empty() && !entry.status) reasons.push_back(entry.status.error().message);
  return reasons;
}

/// Keeps one entry per name, a usable one if possible, in order of priority.
void drop_repeated_names(std::vector<const PluginEntry*>& entries) {
  std::ranges::sort(entries, [](const PluginEntry* a, const PluginEntry* b) {
    return std::tuple(std::string_view(a->manifest.name), !a->status, std::string_view(a->path.native())) <
           std::tuple(std::string_view(b->manifest.name), !b->status, std::string_view(b->path.native()));
  });
  const auto shadowed =
      std::ranges::unique(entries, {}, [](const PluginEntry* e) -> const std::string& { return e->manifest.name; });
  entries.erase(shadowed.begin(), shadowed.end());
  std::ranges::sort(entries, [](const PluginEntry* a, const PluginEntry* b) {
    return std::pair(-a->manifest.priority, std::string_view(a->manifest.name)) <
           std::pair(-b->manifest.priority, std::string_view(b->manifest.name));
  });
}

std::vector<const Manifest*> manifests_of(const std::vector<const PluginEntry*>& entries) {
  std::vector<const Manifest*> manifests;
  manifests.reserve(entries.size());
  for (const PluginEntry* entry : entries) manifests.push_back(&entry->manifest);
  return manifests;
}

std::vector<Candidate> candidates_of(IsolatedPlugins& plugins, const Inquiry& inquiry,
                                     const std::vector<const PluginEntry*>& entries) {
  std::vector<PluginFacts> facts;
  facts.reserve(entries.size());
  for (const PluginEntry* entry : entries) facts.push_back(gather(plugins, inquiry, *entry));
  return rank(inquiry, facts);
}

/// Fills in the names and targets that an error message lists.
void describe_offer(Resolution& resolution, const Registry& registry, const Inquiry& inquiry,
                    const std::vector<const Manifest*>& manifests) {
  if (!inquiry.target_kind) resolution.target_problem = inquiry.target_kind.error().message;
  std::set<std::string> kinds, aliases;
  for (const Manifest* manifest : manifests) {
    kinds.insert(manifest->targets.begin(), manifest->targets.end());
    kinds.insert(manifest->architectures.begin(), manifest->architectures.end());
    resolution.names.push_back(manifest->name);
    resolution.names.insert(resolution.names.end(), manifest->aliases.begin(), manifest->aliases.end());
    if (!answers_target(inquiry, *manifest)) continue;
    resolution.allowed.push_back(manifest->name);
    aliases.insert(manifest->aliases.begin(), manifest->aliases.end());
    if (inquiry.backend.covers(*manifest)) resolution.named.push_back(manifest->name);
  }
  resolution.target_kinds.assign(kinds.begin(), kinds.end());
  resolution.aliases.assign(aliases.begin(), aliases.end());
  for (const auto& folder : registry.search_path()) resolution.searched.push_back(folder.string());
}

std::vector<std::string> alternatives_to(const Inquiry& inquiry, const ResolveServices& services) {
  CompileSettings settings = inquiry.settings;
  settings.options.execution_backend = "auto";
  std::vector<std::string> names;
  for (const Candidate& candidate : resolve(services, inquiry.program, settings).candidates) {
    const bool is_new = std::find(names.begin(), names.end(), candidate.backend) == names.end();
    if (candidate.verdict != Verdict::kRefused && is_new) names.push_back(candidate.backend);
  }
  return names;
}

}  // namespace

const Candidate* Resolution::chosen() const {
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [](const Candidate& candidate) { return candidate.verdict == Verdict::kChosen; });
  return found == candidates.end() ? nullptr : &*found;
}

bool Resolution::runs_nowhere() const {
  const Candidate* const taken = chosen();
  return taken != nullptr && taken->reach != Purpose::kRun && requested_target == "auto" &&
         requested_backend != taken->backend && policy != Policy::kPinned;
}

bool opens_drivers(const ResolveServices& services, const Program& program, const CompileSettings& settings) {
  const std::vector<const PluginEntry*> entries = named_entries(services.plugins.registry());
  const Inquiry inquiry(program, settings, manifests_of(entries));
  return std::ranges::any_of(entries, [&](const PluginEntry* entry) {
    const std::vector<std::int32_t>& types = entry->manifest.device_types;
    if (!entry->status || (!types.empty() && types.front() == kDLCPU)) return false;
    const PluginFacts facts{.manifest = &entry->manifest};
    return Survivors(inquiry, facts).pass(Stage::kManifest);
  });
}

Resolution resolve(const ResolveServices& services, const Program& program, const CompileSettings& settings) {
  const Registry& registry = services.plugins.registry();
  std::vector<const PluginEntry*> entries = named_entries(registry);
  drop_repeated_names(entries);
  const std::vector<const Manifest*> manifests = manifests_of(entries);
  const Inquiry inquiry(program, settings, manifests);
  Resolution resolution{.program = program.name,
                        .requested_target = settings.options.target,
                        .requested_backend = inquiry.backend.text(),
                        .policy = settings.policy,
                        .candidates = candidates_of(services.plugins, inquiry, entries),
                        .target_variable = settings.target_variable,
                        .backend_variable = settings.backend_variable,
                        .unread = reasons_of_unread(registry)};
  choose_by_policy(services, inquiry, manifests, resolution);
  describe_offer(resolution, registry, inquiry, manifests);
  if (!resolution.named.empty() && inquiry.backend.kind() != BackendName::Kind::kAuto && !resolution.chosen())
    resolution.alternatives = alternatives_to(inquiry, services);
  return resolution;
}

Resolution resolve(Runtime& runtime, const Program& program, const CompileOptions& options, const ResolveOptions& how) {
  Result<CompileSettings> settings = settle(options, how.purpose, runtime.environment());
  if (!settings) return {.program = program.name, .policy_error = settings.error()};
  settings->gathers_times = how.gathers_times;
  return resolve(runtime.impl().resolve_services(), program, *settings);
}

}  // namespace kmux

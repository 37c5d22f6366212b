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

#include "isolation/isolated_plugins.h"
#include "ranking.h"
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

std::vector<Result<std::vector<MissingFeature>>> ask_supports(Plugin& plugin, const Inquiry& inquiry,
                                                              const Target& target, const Survivors& survivors) {
  std::vector<Result<std::vector<MissingFeature>>> missing;
  for (std::size_t variant = 0; variant < inquiry.program.variants.size(); ++variant) {
    const BuildRequest request{inquiry.program, variant, target, inquiry.request.options};
    missing.push_back(survivors.has(variant) ? plugin.backend().supports(request) : std::vector<MissingFeature>{});
  }
  return missing;
}

Result<Shared<Plugin>> open(Runtime& runtime, const ResolveRequest& request, const std::string& name) {
  KMUX_ASSIGN(const IsolationSettings isolation,
              isolation_of(request.isolation, request.compile_timeout_s, runtime.environment()));
  return plugin_for(runtime, name, isolation);
}

/// Queries the plugin of `entry` for the facts that the stages need, and stops once every variant is refused: a plugin
/// that its manifest rules out is not opened.
PluginFacts gather(Runtime& runtime, const Inquiry& inquiry, const PluginEntry& entry) {
  PluginFacts facts{.manifest = &entry.manifest, .opened = entry.status};
  Survivors survivors(inquiry, facts);
  if (!survivors.pass(Stage::kManifest) || !survivors.pass(Stage::kOpen)) return facts;

  Result<Shared<Plugin>> plugin = open(runtime, inquiry.request, entry.manifest.name);
  if (!plugin) {
    facts.opened = std::move(plugin).error();
    return facts;
  }
  facts.probe = (*plugin)->probe();
  if (!survivors.pass(Stage::kProbe)) return facts;

  facts.target = (*plugin)->backend().resolve_target(inquiry.request.target, inquiry.request.device);
  if (!survivors.pass(Stage::kTarget)) return facts;

  facts.missing = ask_supports(**plugin, inquiry, *facts.target, survivors);
  return facts;
}

ResolveRequest complete(ResolveRequest request, const Environment& environment) {
  if (request.target.empty()) request.target = environment.target;
  if (request.execution_backend.empty()) request.execution_backend = environment.execution_backend;
  if (request.purpose == Purpose::kRun && !request.device) request.device = 0;
  return request;
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

std::vector<Candidate> candidates_of(Runtime& runtime, const Inquiry& inquiry,
                                     const std::vector<const PluginEntry*>& entries) {
  std::vector<PluginFacts> facts;
  facts.reserve(entries.size());
  for (const PluginEntry* entry : entries) facts.push_back(gather(runtime, inquiry, *entry));
  return rank(inquiry, facts);
}

/// Fills in the names and targets that an error message lists.
void describe_offer(Resolution& resolution, Runtime& runtime, const Inquiry& inquiry,
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
  for (const auto& folder : runtime.registry().search_path()) resolution.searched.push_back(folder.string());
}

std::vector<std::string> alternatives_to(const Inquiry& inquiry, Runtime& runtime) {
  ResolveRequest request = inquiry.request;
  request.execution_backend = "auto";
  std::vector<std::string> names;
  for (const Candidate& candidate : resolve(runtime, inquiry.program, request).candidates) {
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

bool opens_drivers(Runtime& runtime, const Program& program, const ResolveRequest& request) {
  const std::vector<const PluginEntry*> entries = named_entries(runtime.registry());
  const Inquiry inquiry(program, complete(request, runtime.environment()), manifests_of(entries));
  return std::ranges::any_of(entries, [&](const PluginEntry* entry) {
    const std::vector<std::int32_t>& types = entry->manifest.device_types;
    if (!entry->status || (!types.empty() && types.front() == kDLCPU)) return false;
    const PluginFacts facts{.manifest = &entry->manifest};
    return Survivors(inquiry, facts).pass(Stage::kManifest);
  });
}

ResolveRequest resolve_request(const CompileOptions& options, Purpose purpose) {
  return {.target = options.target,
          .execution_backend = options.execution_backend,
          .target_host = options.target_host,
          .device = options.device,
          .purpose = purpose,
          .options = options.options,
          .isolation = options.isolation,
          .compile_timeout_s = options.compile_timeout_s,
          .compile_flags = options.compile_flags,
          .include_dirs = options.include_dirs,
          .use_cache = options.use_cache,
          .policy = options.policy,
          .lock_file = options.lock_file};
}

Resolution resolve(Runtime& runtime, const Program& program, const ResolveRequest& request) {
  const Result<Policy> policy = policy_of(request.policy, runtime.environment());
  if (!policy) return {.program = program.name, .policy_error = policy.error()};
  std::vector<const PluginEntry*> entries = named_entries(runtime.registry());
  drop_repeated_names(entries);
  const std::vector<const Manifest*> manifests = manifests_of(entries);
  const Inquiry inquiry(program, complete(request, runtime.environment()), manifests);
  Resolution resolution{.program = program.name,
                        .requested_target = inquiry.request.target,
                        .requested_backend = inquiry.backend.text(),
                        .policy = *policy,
                        .candidates = candidates_of(runtime, inquiry, entries),
                        .unread = reasons_of_unread(runtime.registry())};
  choose_by_policy(runtime, inquiry, manifests, resolution);
  describe_offer(resolution, runtime, inquiry, manifests);
  const Environment& environment = runtime.environment();
  if (request.target.empty()) resolution.target_variable = environment.target_variable;
  if (request.execution_backend.empty()) resolution.backend_variable = environment.execution_backend_variable;
  if (!resolution.named.empty() && inquiry.backend.kind() != BackendName::Kind::kAuto && !resolution.chosen())
    resolution.alternatives = alternatives_to(inquiry, runtime);
  return resolution;
}

}  // namespace kmux

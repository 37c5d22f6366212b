#include "kmux/resolver.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "plugin_facts.h"
#include "policy_choice.h"
#include "ranking.h"

namespace kmux {
namespace {

ResolveRequest complete(ResolveRequest request, const Environment& environment) {
  if (request.target.empty()) request.target = environment.target;
  if (request.execution_backend.empty()) request.execution_backend = environment.execution_backend;
  if (request.policy.empty()) request.policy = environment.policy;
  if (request.purpose == Purpose::kRun && !request.device) request.device = 0;
  return request;
}

/// One entry a name, the usable one if there is one, in the policy's order.
void keep_one_a_name(std::vector<PluginEntry>& entries) {
  std::ranges::sort(entries, [](const PluginEntry& a, const PluginEntry& b) {
    return std::tuple(std::string_view(a.manifest.name), !a.status, std::string_view(a.path.native())) <
           std::tuple(std::string_view(b.manifest.name), !b.status, std::string_view(b.path.native()));
  });
  const auto shadowed =
      std::ranges::unique(entries, {}, [](const PluginEntry& e) -> const std::string& { return e.manifest.name; });
  entries.erase(shadowed.begin(), shadowed.end());
  std::ranges::sort(entries, [](const PluginEntry& a, const PluginEntry& b) {
    return std::pair(-a.manifest.priority, std::string_view(a.manifest.name)) <
           std::pair(-b.manifest.priority, std::string_view(b.manifest.name));
  });
}

/// Takes out the entries that have no name: what they refuse is a folder or a manifest.
std::vector<std::string> take_unread(std::vector<PluginEntry>& entries) {
  std::vector<std::string> reasons;
  for (const PluginEntry& entry : entries)
    if (entry.manifest.name.empty() && !entry.status) reasons.push_back(entry.status.error().message);
  std::erase_if(entries, [](const PluginEntry& entry) { return entry.manifest.name.empty(); });
  return reasons;
}

std::vector<const Manifest*> manifests_of(const std::vector<PluginEntry>& entries) {
  std::vector<const Manifest*> manifests;
  manifests.reserve(entries.size());
  for (const PluginEntry& entry : entries) manifests.push_back(&entry.manifest);
  return manifests;
}

std::vector<Candidate> candidates_of(Runtime& runtime, const Inquiry& inquiry,
                                     const std::vector<PluginEntry>& entries) {
  std::vector<PluginFacts> facts;
  facts.reserve(entries.size());
  for (const PluginEntry& entry : entries) facts.push_back(gather(runtime, inquiry, entry));
  return rank(inquiry, facts);
}

/// What an error will say.
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
         requested_backend != taken->backend && policy != to_string(Policy::kPinned);
}

Resolution resolve(Runtime& runtime, const Program& program, const ResolveRequest& request) {
  if (const auto policy = policy_of(request.policy, runtime.environment()); !policy)
    return {.program = program.name, .policy = request.policy, .policy_error = policy.error()};
  std::vector<PluginEntry> entries = runtime.registry().entries();
  std::vector<std::string> unread = take_unread(entries);
  keep_one_a_name(entries);
  const std::vector<const Manifest*> manifests = manifests_of(entries);
  const Inquiry inquiry(program, complete(request, runtime.environment()), manifests);
  Resolution resolution{.program = program.name,
                        .requested_target = inquiry.request.target,
                        .requested_backend = inquiry.backend.text(),
                        .policy = inquiry.request.policy,
                        .candidates = candidates_of(runtime, inquiry, entries),
                        .unread = std::move(unread)};
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

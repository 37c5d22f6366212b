#include "plugin_facts.h"

#include <optional>

#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "isolation/isolated_plugins.h"
#include "plugins/support_memo.h"

namespace kmux {
namespace {

/// The variants that no stage has refused yet.
class Survivors {
 public:
  Survivors(const Inquiry& inquiry, const PluginFacts& facts)
      : inquiry_(inquiry), facts_(facts), alive_(inquiry.program.variants.size(), true) {}

  /// Lets `stage` refuse; is anything left?
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

std::vector<Result<std::vector<MissingFeature>>> ask_supports(Plugin& plugin, SupportMemo& memo, const Inquiry& inquiry,
                                                              const Target& target, const Survivors& survivors) {
  std::vector<Result<std::vector<MissingFeature>>> missing;
  for (std::size_t variant = 0; variant < inquiry.program.variants.size(); ++variant) {
    const BuildRequest request{inquiry.program, variant, target, inquiry.request.options};
    missing.push_back(survivors.has(variant) ? memo.ask(plugin, request) : std::vector<MissingFeature>{});
  }
  return missing;
}

Result<std::shared_ptr<Plugin>> open(Runtime& runtime, const ResolveRequest& request, const std::string& name) {
  KMUX_ASSIGN(const Isolation isolation,
              isolation_of(request.isolation, request.compile_timeout, runtime.environment()));
  return plugin_for(runtime, name, isolation);
}

}  // namespace

PluginFacts gather(Runtime& runtime, const Inquiry& inquiry, const PluginEntry& entry) {
  PluginFacts facts{.manifest = entry.manifest, .opened = entry.status};
  Survivors survivors(inquiry, facts);
  if (!survivors.pass(Stage::kManifest) || !survivors.pass(Stage::kOpen)) return facts;

  Result<std::shared_ptr<Plugin>> plugin = open(runtime, inquiry.request, entry.manifest.name);
  if (!plugin) {
    facts.opened = std::move(plugin).error();
    return facts;
  }
  facts.probe = (*plugin)->probe();
  if (!survivors.pass(Stage::kProbe)) return facts;

  facts.target = (*plugin)->backend().resolve_target(inquiry.request.target, inquiry.request.device);
  if (!survivors.pass(Stage::kTarget)) return facts;

  facts.missing = ask_supports(**plugin, runtime.support_memo(), inquiry, *facts.target, survivors);
  return facts;
}

}  // namespace kmux

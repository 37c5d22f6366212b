#include "improve.h"

#include <utility>

#include "kmux/log.h"

#include "background.h"
#include "tier_build.h"
#include "tier_plan.h"

namespace kmux {
namespace {

/// All that a build in the background needs, kept until it is done.
struct Improvement {
  std::shared_ptr<const Program> program;
  Choice choice;
  std::string tier;
  std::shared_ptr<ArtifactCache> cache;
  int device;
  AdapterSlot::Promise promise;

  Result<LoadedArtifact> make() const {
    KMUX_ASSIGN(TierBuild built, build_tier(choice, tier, cache.get()));
    KMUX_ASSIGN(std::unique_ptr<Adapter> adapter, choice.backend->load(built.artifact, device));
    KMUX_TRY(adapter->prepare(device));
    return LoadedArtifact{std::move(adapter), std::move(built.artifact), tier};
  }

  void run() {
    if (promise.is_pointless()) return;
    Result<LoadedArtifact> better = make();
    if (better) return promise.keep(*std::move(better));
    log(LogLevel::kWarning, "kernel \"" + program->name + "\" stays in its first tier: " + better.error().message);
    promise.give_up(std::move(better).error());
  }
};

}  // namespace

void improve(Runtime& runtime, const Program& program, const CompileOptions& options, const BuildResult& built,
             AdapterSlot& slot) {
  auto copy = std::make_shared<const Program>(program);
  auto choice = choose(runtime, *copy, options, built.backend, built.variant, built.target);
  if (!choice) return;  // it has just been chosen
  const auto tiers =
      plan_tiers(choice->plugin->manifest(), choice->request.options, runtime.environment(), Purpose::kRun);
  if (!tiers || built.tier == tiers->best) return;
  auto improvement = std::make_shared<Improvement>(Improvement{std::move(copy), *std::move(choice), tiers->best,
                                                               options.use_cache ? runtime.cache() : nullptr,
                                                               options.device.value_or(0), slot.expect_better()});
  runtime.background().post([improvement] { improvement->run(); });
}

}  // namespace kmux

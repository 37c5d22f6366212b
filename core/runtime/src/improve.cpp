#include "improve.h"

#include <optional>
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
  std::shared_ptr<const Origin> origin;
  AdapterSlot::Promise promise;

  Result<LoadedArtifact> make() const {
    KMUX_ASSIGN(TierBuild built, build_tier(choice, tier, cache.get()));
    KMUX_ASSIGN(std::unique_ptr<Adapter> adapter, choice.backend->load(built.artifact, device));
    KMUX_TRY(adapter->prepare(device));
    return LoadedArtifact{origin, std::move(adapter), std::move(built.artifact), std::move(built.launcher), tier};
  }

  void run() {
    if (promise.is_pointless()) return;
    Result<LoadedArtifact> better = make();
    if (better) return promise.keep(*std::move(better));
    log(LogLevel::kWarning, "kernel \"" + program->name + "\" stays in its first tier: " + better.error().message);
    promise.give_up(std::move(better).error());
  }
};

/// The tier that `built` could be replaced by, or nothing.
std::optional<std::string> better_tier(Runtime& runtime, const CompileOptions& options, const BuildResult& built) {
  if (built.tier.empty()) return std::nullopt;
  const auto plugin = runtime.registry().plugin(built.backend);
  if (!plugin) return std::nullopt;
  const auto tiers = plan_tiers((*plugin)->manifest(), options.options, runtime.environment(), Purpose::kRun);
  return tiers && tiers->best != built.tier ? std::optional(tiers->best) : std::nullopt;
}

}  // namespace

void improve(Runtime& runtime, const Program& program, const CompileOptions& options, const BuildResult& built,
             AdapterSlot& slot) {
  const std::optional<std::string> tier = better_tier(runtime, options, built);
  if (!tier) return;
  auto copy = std::make_shared<const Program>(program);
  auto choice = choose(runtime, *copy, options, built.backend, built.variant, built.target);
  if (!choice) return;  // it was chosen a moment ago
  auto improvement = std::make_shared<Improvement>(
      Improvement{std::move(copy), *std::move(choice), *tier, options.use_cache ? runtime.cache() : nullptr,
                  options.device.value_or(0), slot.loaded().origin, slot.expect_better()});
  runtime.background().post([improvement] { improvement->run(); });
}

}  // namespace kmux

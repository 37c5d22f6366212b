#include "improve.h"

#include <optional>
#include <utility>

#include "kmux/dispatch_json.h"
#include "kmux/log.h"

#include "experience.h"
#include "src/background.h"
#include "src/open_adapter.h"
#include "src/tier_build.h"
#include "src/tier_plan.h"

namespace kmux {
namespace {

/// What is to be compiled.
struct Better {
  std::string backend;
  std::size_t variant;
  Target target;
  std::string tier;
  bool is_successor;
};

/// All that a build in the background needs, kept until it is done.
struct Improvement {
  std::shared_ptr<const Program> program;
  Choice choice;
  Better better;
  std::shared_ptr<ArtifactCache> cache;
  std::shared_ptr<Experience> experience;
  int device;
  AdapterSlot::Promise promise;

  Result<LoadedArtifact> make() const {
    KMUX_ASSIGN(TierBuild built, build_tier(choice, better.tier, cache.get()));
    const Manifest& manifest = choice.plugin->manifest();
    if (built.compile_ms && better.is_successor) {
      experience->compile_times.note(manifest, better.tier, *built.compile_ms, true);
    }
    KMUX_ASSIGN(auto adapter, open_adapter(*choice.backend, built.artifact, device, program->name));
    KMUX_TRY(adapter->prepare(device));
    auto origin = std::make_shared<const Origin>(
        Origin{choice.plugin, better.variant, program->variants[better.variant], better.target});
    return LoadedArtifact{std::move(origin), std::move(adapter), std::move(built.artifact), std::move(built.launcher),
                          better.tier};
  }

  void run() {
    if (promise.is_pointless()) return;
    Result<LoadedArtifact> made = make();
    if (made) return promise.keep(*std::move(made));
    log(LogLevel::kWarning, "kernel \"" + program->name + "\" stays as it was compiled first: " + made.error().message);
    if (better.is_successor) {
      experience->failures.note({digest(*program), better.variant, better.backend, to_string(better.target)},
                                made.error());
    }
    promise.give_up(std::move(made).error());
  }
};

/// The tier that `built` could be replaced by, or nothing.
std::optional<Better> better_tier(Runtime& runtime, const CompileOptions& options, const BuildResult& built) {
  if (built.tier.empty()) return std::nullopt;
  const auto plugin = runtime.registry().plugin(built.backend);
  if (!plugin) return std::nullopt;
  const auto tiers = plan_tiers((*plugin)->manifest(), options.options, runtime.environment(), Purpose::kRun);
  if (!tiers || tiers->best == built.tier) return std::nullopt;
  return Better{built.backend, built.variant, built.target, tiers->best, false};
}

/// What the policy wants to be launched in the end.
std::optional<Better> successor_of(Runtime& runtime, const CompileOptions& options, const Candidate& successor) {
  const auto plugin = runtime.registry().plugin(successor.backend);
  Result<Target> target = parse_target(successor.target);
  if (!plugin || !target) return std::nullopt;
  const auto tiers = plan_tiers((*plugin)->manifest(), options.options, runtime.environment(), Purpose::kBuild);
  if (!tiers) return std::nullopt;
  return Better{successor.backend, successor.variant, *std::move(target), tiers->best, true};
}

}  // namespace

void improve(Runtime& runtime, const Program& program, const CompileOptions& options, const BuildResult& built,
             const Resolution& resolution, AdapterSlot& slot) {
  std::optional<Better> better = resolution.successor
                                     ? successor_of(runtime, options, resolution.candidates[*resolution.successor])
                                     : better_tier(runtime, options, built);
  if (!better) return;
  auto copy = std::make_shared<const Program>(program);
  auto choice = choose(runtime, *copy, options, better->backend, better->variant, better->target);
  if (!choice) return;  // it was chosen a moment ago
  auto improvement = std::make_shared<Improvement>(Improvement{
      std::move(copy), *std::move(choice), *std::move(better), options.use_cache ? runtime.cache() : nullptr,
      runtime.experience(), options.device.value_or(0), slot.expect_better()});
  runtime.background().post([improvement] { improvement->run(); });
}

}  // namespace kmux

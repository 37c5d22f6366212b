#include "improve.h"

#include <optional>
#include <utility>

#include "kmux/dispatch_json.h"
#include "kmux/log.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "artifact/choice.h"
#include "artifact/tier_build.h"
#include "isolation/isolated_plugins.h"
#include "resolve/backend_history.h"
#include "system/background.h"
#include "system/compile_scope.h"

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
  std::shared_ptr<BackendHistory> history;
  std::shared_ptr<KernelHeaders> headers;  // of the kernel
  int device;
  AdapterSlot::Promise promise;

  Result<LoadedArtifact> load(TierBuild built) const {
    KMUX_ASSIGN(auto adapter, open_adapter(*choice.backend, built.artifact, device, program->name));
    KMUX_TRY(adapter->prepare(device));
    auto origin = std::make_shared<const Origin>(
        Origin{choice.plugin, better.variant, shared_variant(program, better.variant), better.target});
    return LoadedArtifact{std::move(origin), std::move(adapter), std::move(built.artifact), std::move(built.launcher),
                          better.tier};
  }

  void note_time(const TierBuild& built) const {
    if (!built.compile_ms || !better.is_successor) return;
    history->compile_times.note(choice.plugin->manifest(), better.tier, *built.compile_ms, true);
  }

  void give_up(Error reason) {
    // What was broken off says nothing of backend or program.
    if (CompileScope::current()->is_cancelled()) return promise.give_up(std::move(reason));
    log(LogLevel::kWarning, "kernel \"" + program->name + "\" stays as it was compiled first: " + reason.message);
    if (better.is_successor && headers->are_unchanged()) {
      history->failures.note({digest(*program), better.variant, better.backend, to_string(better.target)}, reason);
    }
    promise.give_up(std::move(reason));
  }

  void run() {
    if (promise.is_pointless()) return;
    Result<TierBuild> built = build_tier(choice, better.tier, cache.get());
    if (!built) return give_up(std::move(built).error());
    note_time(*built);
    if (const Status same = headers->add(built->artifact); !same) {
      log(LogLevel::kInfo, "kernel \"" + program->name + "\" stays as it was compiled first: " + same.error().message);
      return promise.fulfil();
    }
    headers->hash();
    Result<LoadedArtifact> loaded = load(*std::move(built));
    if (!loaded) return give_up(std::move(loaded).error());
    promise.keep(*std::move(loaded));
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

void improve(Runtime& runtime, const std::shared_ptr<const Program>& program, const CompileOptions& options,
             const BuildResult& built, const Resolution& resolution, AdapterSlot& slot,
             const std::shared_ptr<KernelHeaders>& headers) {
  std::optional<Better> better = resolution.successor
                                     ? successor_of(runtime, options, resolution.candidates[*resolution.successor])
                                     : better_tier(runtime, options, built);
  if (!better) return;
  auto choice = choose(runtime, *program, background_options(runtime, options, better->backend), better->backend,
                       better->variant, better->target);
  if (!choice) return;  // it was chosen a moment ago
  auto improvement = std::make_shared<Improvement>(
      Improvement{program, *std::move(choice), *std::move(better), options.use_cache ? runtime.cache() : nullptr,
                  runtime.history(), headers, options.device.value_or(0), slot.expect_better()});
  Background::Abandon abandon = [improvement](const Error& why) { improvement->promise.give_up(why); };
  if (improvement->choice.isolated) abandon = {};  // its compiler is killed, and loading needs the registry
  runtime.background().post([improvement] { improvement->run(); }, std::move(abandon));
}

}  // namespace kmux

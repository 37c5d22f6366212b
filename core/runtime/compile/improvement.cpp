// SPDX-License-Identifier: Apache-2.0
#include "improvement.h"

#include <optional>
#include <utility>

#include "kmux/dispatch_json.h"
#include "kmux/log.h"
#include "kmux/registry.h"

#include "artifact/tier_build.h"
#include "resolve/backend_history.h"
#include "system/background.h"
#include "system/compile_scope.h"

namespace kmux {
namespace {

/// An improvement that has been promised to a slot.
struct ImprovementJob {
  Improvement what;
  AdapterSlot::Promise promise;

  const Manifest& manifest() const { return what.choice.plugin->manifest(); }
  const BuildRequest& request() const { return what.choice.request; }

  Result<LoadedArtifact> load(TierBuild built) const {
    forget_sight(built.artifact);
    KMUX_ASSIGN(auto adapter,
                open_adapter(what.choice.plugin, built.artifact, what.device, *what.program, what.choice.trial));
    KMUX_TRY(adapter->prepare(what.device));
    auto origin = std::make_shared<const Origin>(Origin{
        what.choice.plugin, request().variant, shared_variant(what.program, request().variant), request().target});
    return LoadedArtifact{std::move(origin), std::move(adapter), std::move(built.artifact), std::move(built.launcher),
                          what.tier};
  }

  void note_time(const TierBuild& built) const {
    if (!built.compile_ms || !what.is_successor) return;
    what.history->compile_times.note(manifest(), what.tier, *built.compile_ms, true);
  }

  void give_up(Error reason) {
    // A cancelled build is not evidence about backend or program.
    if (CompileScope::current()->is_cancelled()) return promise.give_up(std::move(reason));
    log(LogLevel::kWarning, "kernel \"" + what.program->name + "\" stays as it was compiled first: " + reason.message);
    if (what.is_successor && what.headers->are_unchanged()) {
      const CandidateKey key{digest(*what.program), request().variant, manifest().name, to_string(request().target)};
      what.history->failures.note(key, reason);
    }
    promise.give_up(std::move(reason));
  }

  void run() {
    if (promise.is_pointless()) return;
    Result<TierBuild> built = build_tier(what.choice, what.tier, what.cache.get());
    if (!built) return give_up(std::move(built).error());
    note_time(*built);
    if (const Status same = what.headers->add(built->artifact); !same) {
      log(LogLevel::kInfo,
          "kernel \"" + what.program->name + "\" stays as it was compiled first: " + same.error().message);
      return promise.fulfil();
    }
    what.headers->hash();
    Result<LoadedArtifact> loaded = load(*std::move(built));
    if (!loaded) return give_up(std::move(loaded).error());
    promise.keep(*std::move(loaded));
  }
};

}  // namespace

void improve(Background& background, Improvement improvement, AdapterSlot& slot) {
  const bool isolated = improvement.choice.isolated;
  const auto job = std::make_shared<ImprovementJob>(
      ImprovementJob{std::move(improvement), slot.expect_better(background.hurry_for(&slot))});
  Background::Abandon abandon = [job](const Error& why) { job->promise.give_up(why); };
  if (isolated) abandon = {};  // its compiler is killed, and loading needs the registry
  background.post([job] { job->run(); }, std::move(abandon), &slot);
}

}  // namespace kmux

#include "build.h"

#include <optional>
#include <utility>

#include "kmux/dispatch_json.h"
#include "kmux/log.h"
#include "kmux/plugin/code_state.h"
#include "kmux/plugin/word_list.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/trace.h"
#include "kmux/validate.h"

#include "artifact/choice.h"
#include "artifact/tier_build.h"
#include "base/guarded.h"
#include "ir/declared_parameters.h"
#include "isolation/isolated_plugins.h"
#include "kernel/adapter_slot.h"
#include "resolve/backend_history.h"
#include "resolve/ranking.h"
#include "system/background.h"
#include "system/compile_scope.h"
#include "system/exit_stop.h"
#include "system/runtime_impl.h"
#include "system/trace_log.h"

namespace kmux {
namespace {

void be_verbose(const Runtime& runtime, const CompileOptions& options) {
  if (options.verbose.value_or(runtime.environment().verbose)) set_default_log_sink(LogLevel::kInfo, stderr_log_sink());
}

void announce(const Resolution& resolution, const Candidate& chosen) {
  if (resolution.requested_backend == chosen.backend) return;
  log(LogLevel::kInfo, "Execution backend resolved -> '" + chosen.backend + "' (requested='" +
                           resolution.requested_backend + "', target='" + chosen.target +
                           "', allowed: " + join(resolution.allowed) + ")");
}

/// Removes the tier option if it requests tiered compilation: a backend must get one of its tiers.
Options without_tiered(Options options) {
  const auto tier = options.find(kTierOption);
  if (tier != options.end() && tier->second == kTiered) options.erase(tier);
  return options;
}

ResolveRequest request_of(const CompileOptions& options, Purpose purpose) {
  ResolveRequest request = resolve_request(options, purpose);
  request.options = without_tiered(std::move(request.options));
  return request;
}

Resolution resolve_traced(Runtime& runtime, const Program& program, const ResolveRequest& request) {
  const TraceSpan span("resolve", program.name);
  return resolve(runtime, program, request);
}

Result<Choice> choose(Runtime& runtime, const Program& program, const CompileOptions& options,
                      const Candidate& candidate) {
  KMUX_ASSIGN(Target target, parse_target(candidate.target));
  return choose(runtime, program, options, candidate.backend, candidate.variant, std::move(target));
}

DatedBuild result_of(const Choice& choice, TierBuild made, const std::string& tier) {
  BuildResult result{.backend = choice.plugin->manifest().name,
                     .variant = choice.request.variant,
                     .target = choice.request.target,
                     .launcher = std::move(made.launcher),
                     .artifact = std::move(made.artifact),
                     .tier = tier,
                     .from_cache = made.from_cache()};
  return {std::move(result), made.began};
}

Result<DatedBuild> build_with(Runtime& runtime, const Program& program, const CompileOptions& options, Purpose purpose,
                              const Candidate& candidate) {
  KMUX_ASSIGN(const Choice choice, choose(runtime, program, options, candidate));
  KMUX_ASSIGN(TierPlan tiers,
              plan_tiers(choice.plugin->manifest(), choice.request.options, runtime.environment(), purpose));
  if (!program.constants.empty()) tiers.first = tiers.best;  // code with constants that were set must not be replaced
  ArtifactCache* const cache = options.use_cache ? runtime.impl().cache().get() : nullptr;
  if (tiers.improves()) {
    if (auto best = find_tier(choice, tiers.best, cache)) return result_of(choice, *std::move(best), tiers.best);
  }
  KMUX_ASSIGN(TierBuild first, build_tier(choice, tiers.first, cache));
  if (first.compile_ms) {
    const bool is_kept = policy_of(options.policy, runtime.environment()).value() == Policy::kFastStart;
    runtime.impl().history()->compile_times.note(choice.plugin->manifest(), tiers.first, *first.compile_ms, is_kept);
  }
  if (tiers.improves() && keeps_values(first.artifact)) {  // a replacement would reset them
    KMUX_ASSIGN(TierBuild best, build_tier(choice, tiers.best, cache));
    return result_of(choice, std::move(best), tiers.best);
  }
  return result_of(choice, std::move(first), tiers.first);
}

std::optional<DatedBuild> find_with(Runtime& runtime, const Program& program, const CompileOptions& options,
                                    const Candidate& candidate) {
  ArtifactCache* const cache = runtime.impl().cache().get();
  if (!check_declared(program.signature, program.variants[candidate.variant])) return std::nullopt;
  const Result<Choice> choice = choose(runtime, program, options, candidate);
  if (!choice) return std::nullopt;
  const Result<TierPlan> tiers =
      plan_tiers(choice->plugin->manifest(), choice->request.options, runtime.environment(), Purpose::kRun);
  if (!tiers) return std::nullopt;
  if (auto best = find_tier_here(*choice, tiers->best, cache)) return result_of(*choice, *std::move(best), tiers->best);
  if (!tiers->improves() || !program.constants.empty()) return std::nullopt;
  auto first = find_tier_here(*choice, tiers->first, cache);
  if (!first || keeps_values(first->artifact)) return std::nullopt;
  return result_of(*choice, *std::move(first), tiers->first);
}

/// Returns true if the request queries nothing outside this process: neither a driver nor a worker.
bool stays_in_process(Runtime& runtime, const Program& program, const CompileOptions& options,
                      const ResolveRequest& request) {
  const auto isolation = isolation_of(options.isolation, options.compile_timeout_s, runtime.environment());
  return isolation && !isolation->in_process_of_its_own && !opens_drivers(runtime, program, request);
}

Result<WrapResult> wrap_with(Runtime& runtime, const Program& program, const CompileOptions& options, Purpose purpose,
                             const Candidate& candidate) {
  KMUX_ASSIGN(Choice choice, choose(runtime, program, options, candidate));
  KMUX_ASSIGN(const TierPlan tiers,
              plan_tiers(choice.plugin->manifest(), choice.request.options, runtime.environment(), purpose));
  if (!tiers.first.empty()) choice.request.options[kTierOption] = tiers.first;
  KMUX_ASSIGN(std::string launcher, choice.backend->wrapper().wrap(choice.request));
  return WrapResult{.backend = candidate.backend,
                    .variant = candidate.variant,
                    .target = choice.request.target,
                    .launcher = std::move(launcher)};
}

Resolution& resolution_of(DatedBuild& made) { return made.result.resolution; }
Resolution& resolution_of(WrapResult& made) { return made.resolution; }

/// Returns true if another candidate may be tried: only after "unsupported", and only if the policy chose this one.
bool may_pass_over(const Resolution& resolution, const Error& error) {
  return error.code == ErrorCode::kUnsupported && is_auto(resolution);
}

/// Validates and resolves, then returns the result of `make` for the first candidate that does not fail as
/// "unsupported".
template <class Made, class Make>
Result<Made> make_with_best(Runtime& runtime, const Program& program, const CompileOptions& options, Purpose purpose,
                            Make make) {
  KMUX_TRY(ColdCall::check());
  KMUX_TRY(runtime.check_process());
  const ColdCall call;
  be_verbose(runtime, options);
  KMUX_TRY(policy_of(options.policy, runtime.environment()));
  KMUX_TRY(check_valid(program));
  KMUX_TRY(isolation_of(options.isolation, options.compile_timeout_s, runtime.environment()));
  Resolution resolution = resolve_traced(runtime, program, request_of(options, purpose));
  std::vector<Note> notes;  // of those that were passed over
  for (;;) {
    Result<Candidate> chosen = require(resolution);
    if (!chosen) {
      chosen.error().notes.insert(chosen.error().notes.end(), notes.begin(), notes.end());
      return std::move(chosen).error();
    }
    announce(resolution, *chosen);
    Result<Made> made = make(runtime, program, options, purpose, *chosen);
    // Checked after `make`: backends that read the types from their code report this better, and not all can.
    if (made) {
      KMUX_TRY(check_declared(program.signature, program.variants[chosen->variant]));
      resolution_of(*made) = std::move(resolution);
      return made;
    }
    Error& error = made.error();
    if (!may_pass_over(resolution, error)) {
      if (is_auto(resolution)) note_failure(runtime, program, *chosen, error);
      if (!error.note("backend")) error.notes.push_back({"backend", chosen->backend});
      return std::move(error);
    }
    log(LogLevel::kInfo, "backend '" + chosen->backend + "' is passed over: " + error.message);
    notes.insert(notes.end(), error.notes.begin(), error.notes.end());
    pass_over_chosen(resolution.candidates, error.message);
  }
}

/// The better code to compile.
struct Better {
  std::string backend;
  std::size_t variant;
  Target target;
  std::string tier;
  bool is_successor;
};

/// Everything that a build in the background needs, owned until it is done.
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
    forget_sight(built.artifact);
    KMUX_ASSIGN(auto adapter, open_adapter(choice.plugin, built.artifact, device, *program, choice.trial));
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
    // A cancelled build is not evidence about backend or program.
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

/// Returns the tier that could replace `built`, or nothing.
std::optional<Better> better_tier(Runtime& runtime, const CompileOptions& options, const BuildResult& built) {
  if (built.tier.empty()) return std::nullopt;
  const auto plugin = runtime.registry().plugin(built.backend);
  if (!plugin) return std::nullopt;
  const auto tiers = plan_tiers((*plugin)->manifest(), options.options, runtime.environment(), Purpose::kRun);
  if (!tiers || tiers->best == built.tier) return std::nullopt;
  return Better{built.backend, built.variant, built.target, tiers->best, false};
}

/// Returns the code that the policy prefers in the end, or nothing.
std::optional<Better> successor_of(Runtime& runtime, const CompileOptions& options, const Candidate& successor) {
  const auto plugin = runtime.registry().plugin(successor.backend);
  Result<Target> target = parse_target(successor.target);
  if (!plugin || !target) return std::nullopt;
  const auto tiers = plan_tiers((*plugin)->manifest(), options.options, runtime.environment(), Purpose::kBuild);
  if (!tiers) return std::nullopt;
  return Better{successor.backend, successor.variant, *std::move(target), tiers->best, true};
}

}  // namespace

bool keeps_values(const Artifact& artifact) { return artifact.find(kStatePart) != nullptr; }

bool is_auto(const Resolution& resolution) {
  const Candidate* const chosen = resolution.chosen();
  return chosen != nullptr && resolution.requested_backend != chosen->backend && resolution.policy != Policy::kPinned;
}

void note_failure(Runtime& runtime, const Program& program, const Candidate& candidate, const Error& error) {
  const CandidateKey key{digest(program), candidate.variant, candidate.backend, candidate.target};
  runtime.impl().history()->failures.note(key, error);
}

Result<DatedBuild> build_for(Purpose purpose, Runtime& runtime, const Program& program, const CompileOptions& options) {
  return make_with_best<DatedBuild>(runtime, program, options, purpose, build_with);
}

std::optional<DatedBuild> find_build(Runtime& runtime, const Program& program, const CompileOptions& options) {
  const ResolveRequest request = request_of(options, Purpose::kRun);
  const bool may_be_found = options.use_cache && runtime.impl().cache() != nullptr && ColdCall::check() &&
                            policy_of(options.policy, runtime.environment()) && check_valid(program) &&
                            stays_in_process(runtime, program, options, request);
  if (!may_be_found) return std::nullopt;
  const ColdCall call;
  be_verbose(runtime, options);
  Resolution resolution = resolve_traced(runtime, program, request);
  const Candidate* const chosen = resolution.chosen();
  if (chosen == nullptr) return std::nullopt;
  std::optional<DatedBuild> found = find_with(runtime, program, options, *chosen);
  if (!found) return std::nullopt;
  announce(resolution, *chosen);
  found->result.resolution = std::move(resolution);
  return found;
}

Result<WrapResult> wrap(Runtime& runtime, const Program& program, const CompileOptions& options) {
  return guarded([&] { return make_with_best<WrapResult>(runtime, program, options, Purpose::kWrap, wrap_with); });
}

void improve(Runtime& runtime, const std::shared_ptr<const Program>& program, const CompileOptions& options,
             const BuildResult& built, const Resolution& resolution, AdapterSlot& slot,
             const std::shared_ptr<KernelHeaders>& headers) {
  if (!program->constants.empty() || keeps_values(slot.loaded().artifact)) return;
  std::optional<Better> better = resolution.successor
                                     ? successor_of(runtime, options, resolution.candidates[*resolution.successor])
                                     : better_tier(runtime, options, built);
  if (!better) return;
  auto choice = choose(runtime, *program, background_options(runtime, options, better->backend), better->backend,
                       better->variant, better->target);
  if (!choice) return;  // it was chosen a moment ago
  Background& background = runtime.impl().background();
  auto improvement = std::make_shared<Improvement>(Improvement{
      program, *std::move(choice), *std::move(better), options.use_cache ? runtime.impl().cache() : nullptr,
      runtime.impl().history(), headers, options.device.value_or(0), slot.expect_better(background.hurry_for(&slot))});
  Background::Abandon abandon = [improvement](const Error& why) { improvement->promise.give_up(why); };
  if (improvement->choice.isolated) abandon = {};  // its compiler is killed, and loading needs the registry
  background.post([improvement] { improvement->run(); }, std::move(abandon), &slot);
}

}  // namespace kmux

#include "build.h"

#include "kmux/dispatch_json.h"
#include "kmux/log.h"
#include "kmux/plugin/words.h"
#include "kmux/runtime.h"
#include "kmux/trace.h"
#include "kmux/validate.h"

#include "artifact/choice.h"
#include "artifact/tier_build.h"
#include "isolation/isolation.h"
#include "resolve/backend_history.h"
#include "resolve/policy_choice.h"
#include "resolve/ranking.h"
#include "system/exit_stop.h"
#include "system/log_state.h"
#include "system/result_guard.h"

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

/// A backend is told one of its tiers, never that there will be several.
Options without_tiered(Options options) {
  const auto tier = options.find(kTierOption);
  if (tier != options.end() && tier->second == kTiered) options.erase(tier);
  return options;
}

ResolveRequest request_of(const CompileOptions& options, Purpose purpose) {
  return {.target = options.target,
          .execution_backend = options.execution_backend,
          .target_host = options.target_host,
          .device = options.device,
          .purpose = purpose,
          .options = without_tiered(options.options),
          .isolation = options.isolation,
          .compile_timeout = options.compile_timeout,
          .compile_flags = options.compile_flags,
          .include_dirs = options.include_dirs,
          .use_cache = options.use_cache,
          .policy = options.policy,
          .lock_file = options.lock_file};
}

Resolution traced_resolve(Runtime& runtime, const Program& program, const ResolveRequest& request) {
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
  KMUX_ASSIGN(const TierPlan tiers,
              plan_tiers(choice.plugin->manifest(), choice.request.options, runtime.environment(), purpose));
  ArtifactCache* const cache = options.use_cache ? runtime.cache().get() : nullptr;
  if (tiers.improves()) {
    if (auto best = find_tier(choice, tiers.best, cache)) return result_of(choice, *std::move(best), tiers.best);
  }
  KMUX_ASSIGN(TierBuild first, build_tier(choice, tiers.first, cache));
  if (first.compile_ms) {
    const bool is_kept = policy_of(options.policy, runtime.environment()).value() == Policy::kFastStart;
    runtime.history()->compile_times.note(choice.plugin->manifest(), tiers.first, *first.compile_ms, is_kept);
  }
  return result_of(choice, std::move(first), tiers.first);
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

/// Only "unsupported", and only where the caller did not name this very backend, lets another one try.
bool may_pass_over(const Resolution& resolution, const Error& error) {
  return error.code == ErrorCode::kUnsupported && is_auto(resolution);
}

/// Validates and resolves, then makes what `make` makes of the first candidate that does not answer "unsupported".
template <class Made, class Make>
Result<Made> make_with_best(Runtime& runtime, const Program& program, const CompileOptions& options, Purpose purpose,
                            Make make) {
  KMUX_TRY(ColdCall::check());
  KMUX_TRY(runtime.check_process());
  const ColdCall call;
  be_verbose(runtime, options);
  KMUX_TRY(policy_of(options.policy, runtime.environment()));
  KMUX_TRY(check_valid(program));
  KMUX_TRY(isolation_of(options.isolation, options.compile_timeout, runtime.environment()));
  Resolution resolution = traced_resolve(runtime, program, request_of(options, purpose));
  std::vector<Note> notes;  // of those that were passed over
  for (;;) {
    Result<Candidate> chosen = require(resolution);
    if (!chosen) {
      chosen.error().notes.insert(chosen.error().notes.end(), notes.begin(), notes.end());
      return std::move(chosen).error();
    }
    announce(resolution, *chosen);
    Result<Made> made = make(runtime, program, options, purpose, *chosen);
    if (made) {
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

}  // namespace

bool is_auto(const Resolution& resolution) {
  const Candidate* const chosen = resolution.chosen();
  return chosen != nullptr && resolution.requested_backend != chosen->backend &&
         resolution.policy != to_string(Policy::kPinned);
}

void note_failure(Runtime& runtime, const Program& program, const Candidate& candidate, const Error& error) {
  const CandidateKey key{digest(program), candidate.variant, candidate.backend, candidate.target};
  runtime.history()->failures.note(key, error);
}

Result<DatedBuild> build_for(Purpose purpose, Runtime& runtime, const Program& program, const CompileOptions& options) {
  return make_with_best<DatedBuild>(runtime, program, options, purpose, build_with);
}

Result<WrapResult> wrap(Runtime& runtime, const Program& program, const CompileOptions& options) {
  return without_bad_alloc(
      [&] { return make_with_best<WrapResult>(runtime, program, options, Purpose::kWrap, wrap_with); });
}

}  // namespace kmux

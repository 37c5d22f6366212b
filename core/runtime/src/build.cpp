#include "build.h"

#include "kmux/log.h"
#include "kmux/validate.h"
#include "kmux/words.h"

#include "compiler_options.h"
#include "log_state.h"
#include "ranking.h"

namespace kmux {
namespace {

/// A program with the backend that was chosen for it.
struct Choice {
  std::shared_ptr<Plugin> plugin;
  BuildRequest request;
};

void be_verbose(const Runtime& runtime, const CompileOptions& options) {
  if (options.verbose.value_or(runtime.environment().verbose)) set_default_log_sink(LogLevel::kInfo, stderr_log_sink());
}

void announce(const Resolution& resolution, const Candidate& chosen) {
  if (resolution.requested_backend == chosen.backend) return;
  log(LogLevel::kInfo, "Execution backend resolved -> '" + chosen.backend + "' (requested='" +
                           resolution.requested_backend + "', target='" + chosen.target +
                           "', allowed: " + join(resolution.allowed) + ")");
}

ResolveRequest request_of(const CompileOptions& options, Purpose purpose) {
  return {.target = options.target,
          .execution_backend = options.execution_backend,
          .target_host = options.target_host,
          .device = options.device,
          .purpose = purpose,
          .options = options.options};
}

Result<Choice> choose(Runtime& runtime, const Program& program, const CompileOptions& options,
                      const Candidate& candidate) {
  KMUX_ASSIGN(std::shared_ptr<Plugin> plugin, runtime.registry().plugin(candidate.backend));
  KMUX_ASSIGN(Target target, parse_target(candidate.target));
  KMUX_ASSIGN(Options for_compiler, compiler_options(options));
  return Choice{std::move(plugin), {program, candidate.variant, std::move(target), std::move(for_compiler)}};
}

/// Everything that depends on the chosen backend; the key and the cache will come between choose and wrap.
Result<BuildResult> build_with(Runtime& runtime, const Program& program, const CompileOptions& options,
                               const Candidate& candidate) {
  KMUX_ASSIGN(const Choice choice, choose(runtime, program, options, candidate));
  Backend& backend = choice.plugin->backend();
  KMUX_ASSIGN(std::string launcher, backend.wrapper().wrap(choice.request));
  KMUX_ASSIGN(Artifact artifact, backend.builder().build(choice.request, launcher));
  return BuildResult{.backend = candidate.backend,
                     .variant = candidate.variant,
                     .target = choice.request.target,
                     .launcher = std::move(launcher),
                     .artifact = std::move(artifact)};
}

Result<WrapResult> wrap_with(Runtime& runtime, const Program& program, const CompileOptions& options,
                             const Candidate& candidate) {
  KMUX_ASSIGN(const Choice choice, choose(runtime, program, options, candidate));
  KMUX_ASSIGN(std::string launcher, choice.plugin->backend().wrapper().wrap(choice.request));
  return WrapResult{.backend = candidate.backend,
                    .variant = candidate.variant,
                    .target = choice.request.target,
                    .launcher = std::move(launcher)};
}

/// Only "unsupported", and only where the caller did not name this very backend, lets another one try.
bool may_pass_over(const Resolution& resolution, const Candidate& chosen, const Error& error) {
  return error.code == ErrorCode::kUnsupported && resolution.requested_backend != chosen.backend;
}

/// Validates and resolves, then makes what `make` makes of the first candidate that does not answer "unsupported".
template <class Made, class Make>
Result<Made> make_with_best(Runtime& runtime, const Program& program, const CompileOptions& options, Purpose purpose,
                            Make make) {
  be_verbose(runtime, options);
  KMUX_TRY(check_valid(program));
  Resolution resolution = resolve(runtime, program, request_of(options, purpose));
  std::vector<Note> notes;  // of those that were passed over
  for (;;) {
    Result<Candidate> chosen = require(resolution);
    if (!chosen) {
      chosen.error().notes.insert(chosen.error().notes.end(), notes.begin(), notes.end());
      return std::move(chosen).error();
    }
    announce(resolution, *chosen);
    Result<Made> made = make(runtime, program, options, *chosen);
    if (made) {
      made->resolution = std::move(resolution);
      return made;
    }
    Error& error = made.error();
    if (!may_pass_over(resolution, *chosen, error)) {
      if (!error.note("backend")) error.notes.push_back({"backend", chosen->backend});
      return std::move(error);
    }
    log(LogLevel::kInfo, "backend '" + chosen->backend + "' is passed over: " + error.message);
    notes.insert(notes.end(), error.notes.begin(), error.notes.end());
    pass_over_chosen(resolution.candidates, error.message);
  }
}

}  // namespace

Result<BuildResult> build_for(Purpose purpose, Runtime& runtime, const Program& program,
                              const CompileOptions& options) {
  return make_with_best<BuildResult>(runtime, program, options, purpose, build_with);
}

Result<WrapResult> wrap(Runtime& runtime, const Program& program, const CompileOptions& options) {
  return make_with_best<WrapResult>(runtime, program, options, Purpose::kWrap, wrap_with);
}

}  // namespace kmux

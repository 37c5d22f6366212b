#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kmux/compile_options.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/interval.h"
#include "kmux/target.h"

namespace kmux {

class Json;
class Runtime;

/// The step at which a candidate was decided.
enum class Stage : std::uint8_t {
  kManifest,  // name, alias, dialect, target kind, features
  kOpen,      // the library itself
  kProbe,     // toolchain and devices of this machine
  kTarget,    // the requested target
  kSupports,  // the variant's IR
  kPolicy,    // it would work; another one is preferred, or it is the one
  kBuild,     // chosen, but its compiler cannot compile a construct of the sources
};
/// "manifest", "open", ...
KMUX_API std::string_view to_string(Stage stage);

/// What became of a candidate.
enum class Verdict : std::uint8_t { kChosen, kPossible, kRefused };
/// "chosen", "possible" or "refused".
KMUX_API std::string_view to_string(Verdict verdict);

/// Why a candidate that failed is not tried again for a time, although it might do.
struct Quarantine {
  std::string reason;  // how it failed
  std::int64_t left_s = 0;  // seconds until it is tried again
  bool operator==(const Quarantine&) const = default;
};

/// One plugin with one variant, how far it came and why.
struct Candidate {
  std::string backend;  // its name
  std::size_t variant = 0;  // index in Program::variants
  std::string dialect;  // of the variant
  int foreign =
      0;  // place of the dialect among those of other kinds of device, from 1; 0: it is for this kind. The lower first
  int priority = 0;  // of the plugin; the higher first
  std::string target;  // canonical; empty before kTarget
  Stage stage = Stage::kManifest;  // how far it was looked at
  Verdict verdict = Verdict::kRefused;  // chosen, possible or refused
  std::string reason;  // of the verdict
  ErrorCode code = ErrorCode::kOk;  // of a refusal
  Purpose reach = Purpose::kRun;  // how far it gets on this machine, if it is not refused
  std::string obstacle = {};  // why it gets no further ("cannot run here: ..."); empty if it runs
  std::vector<std::string> better_fits = {};  // why variants fit the target better, one each; the fewer first
  std::optional<double> compile_ms = {};  // of earlier compiles with this backend, else those of its manifest
  std::optional<Interval> run_us = {};  // measured
  std::optional<Quarantine> quarantine = {};  // after it failed here
  bool operator==(const Candidate&) const = default;
};

/// What was requested, what was found, and why: every candidate, best first.
struct KMUX_API Resolution {
  std::string program;  // its name
  std::string requested_target;  // of the caller, else of the environment
  std::string requested_backend;  // likewise
  std::optional<Policy> policy;  // that chose; nothing where that of the environment is unknown, see policy_error
  std::vector<Candidate> candidates = {};  // best first

  std::optional<std::size_t> successor;  // what takes over once it is compiled, in `candidates`
  std::optional<Error> policy_error;  // why the requested policy cannot choose
  std::string target_problem;  // why the requested target cannot be read, or empty
  std::string target_variable;  // of the environment, that the target came from; empty: the caller's
  std::string backend_variable;  // likewise for the backend
  std::vector<std::string> allowed;  // backends that answer to the target's kind, best first
  std::vector<std::string> aliases;  // other names of these
  std::vector<std::string> named;  // those among them that the requested name or alias means
  std::vector<std::string> alternatives;  // if the named ones are refused: backends that would do
  std::vector<std::string> names;  // every name and alias that there is
  std::vector<std::string> target_kinds;  // every kind and pattern of an architecture that some plugin answers to
  std::vector<std::string> searched;  // the folders where plugins were looked for
  std::vector<std::string> unread;  // folders and manifests that were refused before a name was known, and why

  /// The chosen candidate, or null.
  const Candidate* chosen() const;
  /// Was a backend taken that cannot run here although neither it nor a target was named? Then nothing here can.
  bool runs_nowhere() const;
  /// A table for people.
  std::string explain() const;
  /// The table with all details: times, quarantine, what was requested and where plugins were looked for.
  std::string explain_fully() const;
  /// The table for programs.
  Json to_json() const;
};

/// What `resolve` is to find.
struct ResolveRequest {
  std::string target = {};  // empty: the environment's, else "auto"
  std::string execution_backend = {};  // empty: the environment's, else "auto"
  std::string target_host = {};  // as in CompileOptions
  std::optional<int> device = {};  // ordinal; default 0 to run, none else
  Purpose purpose = Purpose::kRun;  // what the candidate must be able to do here
  Options options = {};  // of the backend
  std::optional<Isolation> isolation = {};  // as in CompileOptions
  std::optional<double> compile_timeout_s = {};  // as in CompileOptions
  std::vector<std::string> compile_flags = {};  // as in CompileOptions
  std::vector<std::string> include_dirs = {};  // as in CompileOptions
  bool use_cache = true;  // as in CompileOptions
  bool gathers_times = false;  // fills in the times that are known, whatever the policy
  std::optional<Policy> policy = {};  // as in CompileOptions
  std::string lock_file = {};  // as in CompileOptions
};

/// The request of a compilation with `options`: every field that both have.
KMUX_API ResolveRequest resolve_request(const CompileOptions& options, Purpose purpose = Purpose::kRun);

/// Ranks every plugin with every variant. Deterministic: equal input gives an equal resolution.
///
/// What runs here comes first, whatever the purpose: so what is wrapped, built or printed is what would run. What can only
/// build comes after it.
///
/// The resolution is returned even if nothing was chosen; `require` turns that into an error.
KMUX_API Resolution resolve(Runtime& runtime, const Program& program, const ResolveRequest& request);

/// The chosen candidate.
///
/// Errors: with TileLang's wording where it has one: an unknown backend ("Invalid execution backend 'X' for target 'T'.
/// Allowed: a, b. ..."), one that is not available, or none available; every candidate's reason as a "backend" note.
KMUX_API Result<Candidate> require(const Resolution& resolution);

}  // namespace kmux

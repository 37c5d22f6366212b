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
  kPolicy,    // it can work: it was chosen, or another one is preferred
  kBuild,     // chosen, but its compiler cannot compile a construct of the sources
};
/// Returns "manifest", "open", ...
KMUX_API std::string_view to_string(Stage stage);

/// The outcome of a candidate.
enum class Verdict : std::uint8_t { kChosen, kPossible, kRefused };
/// Returns "chosen", "possible" or "refused".
KMUX_API std::string_view to_string(Verdict verdict);

/// Why a candidate that failed is avoided for a time, although it might work.
struct Quarantine {
  std::string reason;  // how it failed
  std::int64_t left_s = 0;  // seconds until it is tried again
  bool operator==(const Quarantine&) const = default;
};

/// One plugin with one variant, the stage that it reached, and why.
struct Candidate {
  std::string backend;  // its name
  std::size_t variant = 0;  // index in Program::variants
  std::string dialect;  // of the variant
  int foreign =
      0;  // place of the dialect among those of other device kinds, from 1; 0: it is for this kind. Lower comes first
  int priority = 0;  // of the plugin; higher comes first
  std::string target;  // canonical; empty before kTarget
  Stage stage = Stage::kManifest;  // the last one that checked it
  Verdict verdict = Verdict::kRefused;  // chosen, possible or refused
  std::string reason;  // of the verdict
  ErrorCode code = ErrorCode::kOk;  // of a refusal
  Purpose reach = Purpose::kRun;  // how far it gets on this machine, if it is not refused
  std::string obstacle = {};  // why it gets no further ("cannot run here: ..."); empty if it runs
  std::vector<std::string> better_fits = {};  // why variants fit the target better, one each; fewer come first
  std::optional<double> compile_ms = {};  // of earlier compiles with this backend, else those of its manifest
  std::optional<Interval> run_us = {};  // measured
  std::optional<Quarantine> quarantine = {};  // after it failed here
  bool operator==(const Candidate&) const = default;
};

/// The request, the choice and its reasons: every candidate, best first.
struct KMUX_API Resolution {
  std::string program;  // its name
  std::string requested_target;  // of the caller, else of the environment
  std::string requested_backend;  // likewise
  std::optional<Policy> policy;  // that chose; nothing if a setting is invalid, see policy_error
  std::vector<Candidate> candidates = {};  // best first

  std::optional<std::size_t> successor;  // index in `candidates` of the one that takes over once it is compiled
  std::optional<Error> policy_error;  // why a setting is invalid, or the requested policy cannot choose
  std::string target_problem;  // why the requested target cannot be read, or empty
  std::string target_variable;  // of the environment, that gave the target; empty: the caller gave it
  std::string backend_variable;  // likewise for the backend
  std::vector<std::string> allowed;  // backends for the target's kind, best first
  std::vector<std::string> aliases;  // other names of these
  std::vector<std::string> named;  // those among them that the requested name or alias means
  std::vector<std::string> alternatives;  // if the named ones are refused: backends that would work
  std::vector<std::string> names;  // every name and alias of a plugin
  std::vector<std::string> target_kinds;  // every kind, and pattern of an architecture, that some plugin supports
  std::vector<std::string> searched;  // the folders searched for plugins
  std::vector<std::string> unread;  // folders and manifests that were refused before a name was known, and why

  /// Returns the chosen candidate, or null.
  const Candidate* chosen() const;
  /// Returns true if no backend can run on this machine: the automatic choice can compile the program but not launch
  /// it.
  bool runs_nowhere() const;
  /// Returns a table for people.
  std::string explain() const;
  /// Returns the table with all details: times, quarantine, the policy and the folders searched for plugins.
  std::string explain_fully() const;
  /// Returns the table for programs.
  Json to_json() const;
};

/// The options of `resolve` besides those of the compilation.
struct ResolveOptions {
  Purpose purpose = Purpose::kRun;  // that the candidate must be able to fulfil here
  bool gathers_times = false;  // fills in the known times, whatever the policy
};

/// Ranks every plugin with every variant. Deterministic: equal input gives an equal resolution.
///
/// Candidates that can run here come first for every purpose, so the one that is wrapped, built or printed is the one
/// that would run. Candidates that can only build come after them.
///
/// Returns the resolution even if no candidate was chosen; `require` turns that into an error.
KMUX_API Resolution resolve(Runtime& runtime, const Program& program, const CompileOptions& options = {},
                            const ResolveOptions& how = {});

/// Returns the chosen candidate.
///
/// Errors: with TileLang's wording where it has one: an unknown backend ("Invalid execution backend 'X' for target 'T'.
/// Allowed: a, b. ..."), one that is not available, or none available; every candidate's reason as a "backend" note.
KMUX_API Result<Candidate> require(const Resolution& resolution);

}  // namespace kmux

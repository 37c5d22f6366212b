#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/environment.h"
#include "kmux/error.h"
#include "kmux/manifest.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/features.h"
#include "kmux/resolver.h"

namespace kmux {

class Runtime;

/// What a requested backend means among the plugins that there are: "auto" is every plugin, a plugin's name is that
/// plugin alone, any other word is the plugins whose manifests declare it as an alias.
///
/// An alias that every plugin declares is therefore what auto gives.
class BackendName {
 public:
  enum class Kind : std::uint8_t { kAuto, kName, kAlias, kUnknown };

  BackendName(const std::string& requested, const std::vector<const Manifest*>& manifests);

  Kind kind() const { return kind_; }
  const std::string& text() const { return text_; }  // in lower case
  /// Is `manifest` among the plugins that the name means?
  bool covers(const Manifest& manifest) const;

 private:
  std::string text_;
  Kind kind_ = Kind::kUnknown;
};

/// What is asked of every plugin, worked out once.
///
/// Lifetime: borrows the program.
struct Inquiry {
  const Program& program;
  ResolveRequest request;  // no field is left to the environment
  BackendName backend;
  Result<std::string> target_kind;  // "": any; an error: the target cannot be read
  bool is_for_this_host;            // no target_host is given, or one that says no more than that it is a host

  Inquiry(const Program& asked, ResolveRequest complete, const std::vector<const Manifest*>& manifests);
};

/// Does `manifest` answer to the target that is asked for?
bool answers_target(const Inquiry& inquiry, const Manifest& manifest);

/// Can the backend of `manifest` make a launcher for the target_host that is asked for?
bool takes_target_host(const Inquiry& inquiry, const Manifest& manifest);

/// What is known of one plugin. Gathering stops at the stage that refuses every variant, so later members may
/// still say "fine".
///
/// Lifetime: borrows the manifest.
struct PluginFacts {
  const Manifest* manifest;
  Status opened = Ok{};
  Result<ProbeReport> probe = ProbeReport{};
  Result<Target> target = Target{};
  std::vector<Result<std::vector<MissingFeature>>> missing = {};  // one a variant; absent: nothing is
};

/// How far a plugin gets on this machine, and why no further.
struct Reach {
  Purpose purpose = Purpose::kRun;
  std::string obstacle = {};
};
Reach reach_of(const ProbeReport& probe);

/// Why a stage refuses a plugin with a variant.
struct Refusal {
  ErrorCode code;
  std::string reason;
};

/// The stages that refuse, in order.
inline constexpr Stage kRefusingStages[] = {Stage::kManifest, Stage::kOpen, Stage::kProbe, Stage::kTarget,
                                            Stage::kSupports};

/// What `stage` says about `variant`, from the facts alone; nothing if it lets it pass.
std::optional<Refusal> refusal(const Inquiry& inquiry, const PluginFacts& facts, std::size_t variant, Stage stage);

/// Would `resolve` open a plugin whose memory is not the host's? It has a driver then, and starting that takes its time.
bool opens_drivers(Runtime& runtime, const Program& program, const ResolveRequest& request);

/// Every plugin with every variant, best first, one chosen if any is possible. A pure function.
std::vector<Candidate> rank(const Inquiry& inquiry, const std::vector<PluginFacts>& facts);

/// Marks the chosen candidate as one whose compiler refused it, and chooses the next.
void pass_over_chosen(std::vector<Candidate>& candidates, const std::string& reason);

/// Chooses the one at `index`, which is possible, in place of the one that is chosen, and puts it first.
void choose_candidate(std::vector<Candidate>& candidates, std::size_t index, const std::string& reason);

// policy_choice.cpp

/// Lets the policy choose among the candidates of `resolution`, where the one of the highest priority is chosen so far,
/// and fills in what is known of them.
void choose_by_policy(Runtime& runtime, const Inquiry& inquiry, const std::vector<const Manifest*>& manifests,
                      Resolution& resolution);

/// `asked`, or the environment's policy.
///
/// Errors: invalid_argument if the environment's is unknown.
Result<Policy> policy_of(const std::optional<Policy>& asked, const Environment& environment);

/// `asked`, or the environment's lock file; empty: there is none.
std::filesystem::path lock_file_of(const std::string& asked, const Environment& environment);

}  // namespace kmux

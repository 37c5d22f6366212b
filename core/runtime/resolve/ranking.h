#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/manifest.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/features.h"
#include "kmux/resolver.h"

#include "artifact/compile_settings.h"

namespace kmux {

/// The plugins that a requested backend stands for: "auto" for every plugin, a plugin's name for that plugin alone, any
/// other word for the plugins whose manifests declare it as an alias.
///
/// An alias that every plugin declares is therefore equivalent to "auto".
class BackendName {
 public:
  enum class Kind : std::uint8_t { kAuto, kName, kAlias, kUnknown };

  BackendName(const std::string& requested, const std::vector<const Manifest*>& manifests);

  Kind kind() const { return kind_; }
  const std::string& text() const { return text_; }  // in lower case
  /// Returns true if `manifest` is among the plugins that the name stands for.
  bool covers(const Manifest& manifest) const;

 private:
  std::string text_;
  Kind kind_ = Kind::kUnknown;
};

/// The request that every plugin is checked against, computed once.
///
/// Lifetime: borrows the program.
struct Inquiry {
  const Program& program;
  CompileSettings settings;
  BackendName backend;
  Result<std::string> target_kind;  // "": any; an error: the target cannot be read
  bool is_for_this_host;  // target_host is empty, or a kind of host without details

  Inquiry(const Program& asked, CompileSettings complete, const std::vector<const Manifest*>& manifests);
};

/// Returns true if `manifest` supports the requested target.
bool answers_target(const Inquiry& inquiry, const Manifest& manifest);

/// Returns true if the backend of `manifest` can make a launcher for the requested target_host.
bool takes_target_host(const Inquiry& inquiry, const Manifest& manifest);

/// The facts about one plugin. Gathering stops at the stage that refuses every variant; later members keep their
/// defaults, which refuse nothing.
///
/// Lifetime: borrows the manifest.
struct PluginFacts {
  const Manifest* manifest;
  Status opened = Ok{};
  Result<ProbeReport> probe = ProbeReport{};
  Result<Target> target = Target{};
  std::vector<Result<std::vector<MissingFeature>>> missing = {};  // one per variant; absent: nothing is missing
};

/// The furthest purpose that a plugin can fulfil on this machine, and the obstacle to the next one.
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

/// Returns why `stage` refuses `variant`, from the facts alone; nothing if it passes.
std::optional<Refusal> refusal(const Inquiry& inquiry, const PluginFacts& facts, std::size_t variant, Stage stage);

/// Returns every plugin with every variant, best first, one chosen if any is possible. A pure function.
std::vector<Candidate> rank(const Inquiry& inquiry, const std::vector<PluginFacts>& facts);

/// Marks the chosen candidate as refused by its compiler, and chooses the next.
void pass_over_chosen(std::vector<Candidate>& candidates, const std::string& reason);

/// Chooses the candidate at `index`, which must be possible, in place of the chosen one, and moves it to the front.
void choose_candidate(std::vector<Candidate>& candidates, std::size_t index, const std::string& reason);

}  // namespace kmux

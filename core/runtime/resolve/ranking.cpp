#include "ranking.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/support.h"
#include "kmux/plugin/word_list.h"
#include "kmux/target.h"

namespace kmux {
namespace {

Result<std::string> kind_of(const std::string& target) {
  if (target == "auto") return std::string();
  KMUX_ASSIGN(Target parsed, parse_target(target));
  return parsed.kind;
}

bool fits_pattern(const std::string& word, std::string_view pattern) {
  if (!pattern.ends_with('*')) return word == pattern;
  pattern.remove_suffix(1);
  return word.size() > pattern.size() && word.starts_with(pattern);
}

bool has_word(const std::vector<std::string>& list, const std::string& word) {
  return std::ranges::find(list, word) != list.end();
}

/// Returns true if the text names only a kind of host processor, without architecture or attributes: it then means this
/// machine.
bool names_this_host(const std::string& text, const std::vector<const Manifest*>& manifests) {
  const auto host = parse_target(text);
  if (!host || !host->arch.empty() || !host->attributes.empty()) return false;
  return std::ranges::any_of(manifests, [&](const Manifest* one) { return has_word(one->target_hosts, host->kind); });
}

}  // namespace

Inquiry::Inquiry(const Program& asked, CompileSettings complete, const std::vector<const Manifest*>& manifests)
    : program(asked),
      settings(std::move(complete)),
      backend(settings.options.execution_backend, manifests),
      target_kind(kind_of(settings.options.target)),
      is_for_this_host(settings.options.target_host.empty() ||
                       names_this_host(settings.options.target_host, manifests)) {}

bool answers_target(const Inquiry& inquiry, const Manifest& manifest) {
  if (!inquiry.target_kind) return false;
  const std::string& kind = *inquiry.target_kind;
  return kind.empty() || has_word(manifest.targets, kind) ||
         std::ranges::any_of(manifest.architectures, [&](const std::string& one) { return fits_pattern(kind, one); });
}

bool takes_target_host(const Inquiry& inquiry, const Manifest& manifest) {
  if (inquiry.is_for_this_host) return true;
  const auto host = parse_target(inquiry.settings.options.target_host);
  return host && has_word(manifest.target_hosts, host->kind);
}

namespace {

bool has_alias(const Manifest& manifest, const std::string& alias) {
  return std::find(manifest.aliases.begin(), manifest.aliases.end(), alias) != manifest.aliases.end();
}

BackendName::Kind kind_of(const std::string& text, const std::vector<const Manifest*>& manifests) {
  if (text == "auto") return BackendName::Kind::kAuto;
  const auto any = [&](auto matches) { return std::any_of(manifests.begin(), manifests.end(), matches); };
  if (any([&](const Manifest* manifest) { return manifest->name == text; })) return BackendName::Kind::kName;
  if (any([&](const Manifest* manifest) { return has_alias(*manifest, text); })) return BackendName::Kind::kAlias;
  return BackendName::Kind::kUnknown;
}

}  // namespace

BackendName::BackendName(const std::string& requested, const std::vector<const Manifest*>& manifests)
    : text_(lower_case(requested)), kind_(kind_of(text_, manifests)) {}

bool BackendName::covers(const Manifest& manifest) const {
  switch (kind_) {
    case Kind::kAuto:
      return true;
    case Kind::kName:
      return manifest.name == text_;
    case Kind::kAlias:
      return has_alias(manifest, text_);
    case Kind::kUnknown:
      break;
  }
  return false;
}

namespace {

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Returns how far a variant gets. A variant with ready code needs no toolchain.
Reach reach_with(const Inquiry& inquiry, const PluginFacts& facts, std::size_t variant) {
  const bool is_ready = contains(facts.manifest->ready_dialects, inquiry.program.variants[variant].dialect);
  return reach_of({is_ready ? Availability{} : facts.probe->can_build, facts.probe->can_run});
}

int foreign_place(const Inquiry& inquiry, const Manifest& manifest, std::size_t variant) {
  const std::vector<std::string>& foreign = manifest.foreign_dialects;
  const auto found = std::ranges::find(foreign, inquiry.program.variants[variant].dialect);
  return found == foreign.end() ? 0 : static_cast<int>(found - foreign.begin()) + 1;
}

// Returns true for a feature that refuses nothing, but marks another variant as the better choice.
bool is_better_fit(const MissingFeature& missing) { return missing.feature == kBetterFit; }

std::vector<std::string> better_fits_of(const PluginFacts& facts, std::size_t variant) {
  std::vector<std::string> reasons;
  if (variant >= facts.missing.size() || !facts.missing[variant]) return reasons;
  for (const MissingFeature& missing : *facts.missing[variant])
    if (is_better_fit(missing)) reasons.push_back(missing.reason);
  return reasons;
}

Candidate judge(const Inquiry& inquiry, const PluginFacts& facts, std::size_t variant) {
  Candidate candidate{.backend = facts.manifest->name,
                      .variant = variant,
                      .dialect = inquiry.program.variants[variant].dialect,
                      .foreign = foreign_place(inquiry, *facts.manifest, variant),
                      .priority = facts.manifest->priority};
  for (const Stage stage : kRefusingStages) {
    candidate.stage = stage;
    if (stage == Stage::kSupports) candidate.target = to_string(*facts.target);
    if (const auto refused = refusal(inquiry, facts, variant, stage)) {
      candidate.code = refused->code;
      candidate.reason = refused->reason;
      return candidate;
    }
  }
  Reach reach = reach_with(inquiry, facts, variant);
  candidate.reach = reach.purpose;
  candidate.obstacle = std::move(reach.obstacle);
  candidate.better_fits = better_fits_of(facts, variant);
  candidate.stage = Stage::kPolicy;
  candidate.verdict = Verdict::kPossible;
  return candidate;
}

/// Orders candidates: possible ones first, and among these the ones that run here; then those that reached the latest
/// stage. Ties are ordered by priority, dialect of this kind of device, fit, variant and name.
bool is_better(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& c) {
    const bool is_refused = c.verdict == Verdict::kRefused;
    return std::tuple(is_refused, is_refused ? 0 : -static_cast<int>(c.reach), -static_cast<int>(c.stage), -c.priority,
                      c.foreign, c.better_fits.size(), c.variant, std::string_view(c.backend));
  };
  return key(a) < key(b);
}

bool is_possible(const Candidate& candidate) { return candidate.verdict == Verdict::kPossible; }

std::string why_before(const Candidate& first, const Candidate& second) {
  if (first.reach > second.reach) return "the only one that can " + std::string(to_string(first.reach)) + " here";
  if (first.priority > second.priority) return "highest priority of those that can";
  if (first.foreign < second.foreign)
    return first.foreign == 0 ? "its dialect is for this kind of device" : "its backend prefers this dialect";
  if (first.better_fits.size() < second.better_fits.size()) return "fits the target best of those at this priority";
  if (first.variant < second.variant) return "earliest variant at this priority";
  return "first by name at this priority";
}

std::string why_first(const std::vector<Candidate>& candidates) {
  const Candidate& first = candidates[0];
  const bool is_alone = candidates.size() < 2 || !is_possible(candidates[1]);
  const std::string why = is_alone ? "the only one that can" : why_before(first, candidates[1]);
  return first.obstacle.empty() ? why : why + "; " + first.obstacle;
}

std::string why_not_first(const Candidate& candidate, const Candidate& first) {
  if (candidate.reach >= first.reach) {
    const bool is_fit = candidate.backend == first.backend && candidate.better_fits.size() > first.better_fits.size();
    return "can too; " + (is_fit ? candidate.better_fits.front() : "'" + first.backend + "' comes first");
  }
  return "comes after '" + first.backend + "': " + candidate.obstacle;
}

/// Sorts, and chooses the first if it is possible.
void choose(std::vector<Candidate>& candidates) {
  std::sort(candidates.begin(), candidates.end(), is_better);
  if (candidates.empty() || !is_possible(candidates.front())) return;
  Candidate& first = candidates.front();
  first.reason = why_first(candidates);
  first.verdict = Verdict::kChosen;
  for (Candidate& candidate : candidates)
    if (is_possible(candidate)) candidate.reason = why_not_first(candidate, first);
}

}  // namespace

std::vector<Candidate> rank(const Inquiry& inquiry, const std::vector<PluginFacts>& facts) {
  std::vector<Candidate> candidates;
  for (const PluginFacts& plugin : facts)
    for (std::size_t variant = 0; variant < inquiry.program.variants.size(); ++variant)
      candidates.push_back(judge(inquiry, plugin, variant));
  choose(candidates);
  return candidates;
}

void choose_candidate(std::vector<Candidate>& candidates, std::size_t index, const std::string& reason) {
  const auto chosen = candidates.begin() + static_cast<std::ptrdiff_t>(index);
  std::rotate(candidates.begin(), chosen, chosen + 1);
  for (Candidate& candidate : candidates) {
    if (candidate.verdict == Verdict::kRefused) continue;
    candidate.verdict = Verdict::kPossible;
    candidate.reason = why_not_first(candidate, candidates.front());
  }
  candidates.front().verdict = Verdict::kChosen;
  candidates.front().reason = reason;
}

void pass_over_chosen(std::vector<Candidate>& candidates, const std::string& reason) {
  for (Candidate& candidate : candidates) {
    if (candidate.verdict != Verdict::kChosen) continue;
    candidate.stage = Stage::kBuild;
    candidate.verdict = Verdict::kRefused;
    candidate.code = ErrorCode::kUnsupported;
    candidate.reason = reason;
  }
  choose(candidates);
}

namespace {

Refusal of(const Error& error) { return {error.code, error.message}; }

std::optional<Refusal> of_missing(std::vector<MissingFeature> missing) {
  std::erase_if(missing, is_better_fit);
  if (missing.empty()) return std::nullopt;
  std::string reason = missing.front().reason;
  if (!missing.front().path.empty()) reason += " (" + missing.front().path + ")";
  if (missing.size() > 1) reason += ", and " + std::to_string(missing.size() - 1) + " more";
  return Refusal{ErrorCode::kUnsupported, reason};
}

std::vector<std::string> target_words(const Manifest& manifest) {
  std::vector<std::string> words = manifest.targets;
  words.insert(words.end(), manifest.architectures.begin(), manifest.architectures.end());
  return words;
}

std::optional<Refusal> by_name(const Inquiry& inquiry, const Manifest& manifest) {
  if (inquiry.backend.covers(manifest)) return std::nullopt;
  return Refusal{ErrorCode::kInvalidArgument, "not requested ('" + inquiry.backend.text() + "' is)"};
}

std::optional<Refusal> by_target_kind(const Inquiry& inquiry, const Manifest& manifest) {
  if (!inquiry.target_kind) return of(inquiry.target_kind.error());
  if (answers_target(inquiry, manifest)) return std::nullopt;
  return Refusal{ErrorCode::kInvalidArgument,
                 "answers to target " + join(target_words(manifest)) + ", not '" + *inquiry.target_kind + "'"};
}

std::optional<Refusal> by_dialect(const Inquiry& inquiry, const Manifest& manifest, std::size_t variant) {
  const std::string& dialect = inquiry.program.variants[variant].dialect;
  if (contains(manifest.dialects, dialect)) return std::nullopt;
  return Refusal{ErrorCode::kUnsupported, "takes dialect " + join(manifest.dialects) + ", not '" + dialect + "'"};
}

std::optional<Refusal> by_target_host(const Inquiry& inquiry, const Manifest& manifest) {
  if (takes_target_host(inquiry, manifest)) return std::nullopt;
  const std::string kinds = manifest.target_hosts.empty() ? "launches from this machine alone"
                                                          : "takes target_host " + join(manifest.target_hosts);
  return Refusal{ErrorCode::kUnsupported,
                 kinds + " (target_host is '" + inquiry.settings.options.target_host + "'). Leave target_host empty."};
}

std::optional<Refusal> by_manifest(const Inquiry& inquiry, const PluginFacts& facts, std::size_t variant) {
  const Manifest& manifest = *facts.manifest;
  if (auto refused = by_name(inquiry, manifest)) return refused;
  if (auto refused = by_target_kind(inquiry, manifest)) return refused;
  if (auto refused = by_dialect(inquiry, manifest, variant)) return refused;
  return of_missing(missing_features(inquiry.program, variant, manifest.features, manifest.name));
}

std::optional<Refusal> by_probe(const Inquiry& inquiry, const PluginFacts& facts, std::size_t variant) {
  if (!facts.probe) return of(facts.probe.error());
  Reach reach = reach_with(inquiry, facts, variant);
  if (reach.purpose >= inquiry.settings.purpose) return std::nullopt;
  return Refusal{ErrorCode::kUnavailable, std::move(reach.obstacle)};
}

std::optional<Refusal> by_target(const Inquiry& inquiry, const PluginFacts& facts, std::size_t variant) {
  if (auto refused = by_target_host(inquiry, *facts.manifest)) return refused;
  if (!facts.target) return of(facts.target.error());
  const std::vector<std::string>& arch = inquiry.program.variants[variant].requirements.arch;
  if (arch.empty() || contains(arch, facts.target->arch)) return std::nullopt;
  if (facts.manifest->arch_match == kArchMatchSupports) return std::nullopt;
  if (foreign_place(inquiry, *facts.manifest, variant) > 0) return std::nullopt;  // architectures of that other kind
  return Refusal{ErrorCode::kUnsupported,
                 "the variant requires " + join(arch) + ", the target is " + to_string(*facts.target)};
}

std::optional<Refusal> by_supports(const PluginFacts& facts, std::size_t variant) {
  if (variant >= facts.missing.size()) return std::nullopt;
  const Result<std::vector<MissingFeature>>& missing = facts.missing[variant];
  return missing ? of_missing(*missing) : of(missing.error());
}

}  // namespace

Reach reach_of(const ProbeReport& probe) {
  if (!probe.can_build.ok()) return {Purpose::kWrap, "cannot build here: " + probe.can_build.reason};
  if (!probe.can_run.ok()) return {Purpose::kBuild, "cannot run here: " + probe.can_run.reason};
  return {};
}

std::optional<Refusal> refusal(const Inquiry& inquiry, const PluginFacts& facts, std::size_t variant, Stage stage) {
  switch (stage) {
    case Stage::kManifest:
      return by_manifest(inquiry, facts, variant);
    case Stage::kOpen:
      return facts.opened ? std::nullopt : std::optional(of(facts.opened.error()));
    case Stage::kProbe:
      return by_probe(inquiry, facts, variant);
    case Stage::kTarget:
      return by_target(inquiry, facts, variant);
    case Stage::kSupports:
      return by_supports(facts, variant);
    case Stage::kPolicy:
    case Stage::kBuild:
      break;
  }
  return std::nullopt;
}

}  // namespace kmux

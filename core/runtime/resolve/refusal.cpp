#include "refusal.h"

#include <algorithm>

#include "kmux/plugin/words.h"

namespace kmux {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

Refusal of(const Error& error) { return {error.code, error.message}; }

std::optional<Refusal> of_missing(const std::vector<MissingFeature>& missing) {
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
  return Refusal{ErrorCode::kInvalidArgument, "not asked for ('" + inquiry.backend.text() + "' is)"};
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
                 kinds + " (target_host is '" + inquiry.request.target_host + "'). Leave target_host empty."};
}

std::optional<Refusal> by_manifest(const Inquiry& inquiry, const PluginFacts& facts, std::size_t variant) {
  const Manifest& manifest = facts.manifest;
  if (auto refused = by_name(inquiry, manifest)) return refused;
  if (auto refused = by_target_kind(inquiry, manifest)) return refused;
  if (auto refused = by_dialect(inquiry, manifest, variant)) return refused;
  return of_missing(missing_features(inquiry.program, variant, manifest.features, manifest.name));
}

std::optional<Refusal> by_probe(const Inquiry& inquiry, const PluginFacts& facts) {
  if (!facts.probe) return of(facts.probe.error());
  Reach reach = reach_of(*facts.probe);
  if (reach.purpose >= inquiry.request.purpose) return std::nullopt;
  return Refusal{ErrorCode::kUnavailable, std::move(reach.obstacle)};
}

std::optional<Refusal> by_target(const Inquiry& inquiry, const PluginFacts& facts, std::size_t variant) {
  if (auto refused = by_target_host(inquiry, facts.manifest)) return refused;
  if (!facts.target) return of(facts.target.error());
  const std::vector<std::string>& arch = inquiry.program.variants[variant].requirements.arch;
  if (arch.empty() || contains(arch, facts.target->arch)) return std::nullopt;
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
      return by_probe(inquiry, facts);
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

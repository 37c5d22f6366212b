#include "inquiry.h"

#include <algorithm>

#include "kmux/plugin/words.h"
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

/// Does the text name a kind of processor that launchers are for, and none in particular? It is this machine's then.
bool names_this_host(const std::string& text, const std::vector<const Manifest*>& manifests) {
  const auto host = parse_target(text);
  if (!host || !host->arch.empty() || !host->attributes.empty()) return false;
  return std::ranges::any_of(manifests, [&](const Manifest* one) { return has_word(one->target_hosts, host->kind); });
}

}  // namespace

Inquiry::Inquiry(const Program& asked, ResolveRequest complete, const std::vector<const Manifest*>& manifests)
    : program(asked),
      request(std::move(complete)),
      backend(request.execution_backend, manifests),
      target_kind(kind_of(request.target)),
      is_for_this_host(request.target_host.empty() || names_this_host(request.target_host, manifests)) {}

bool answers_target(const Inquiry& inquiry, const Manifest& manifest) {
  if (!inquiry.target_kind) return false;
  const std::string& kind = *inquiry.target_kind;
  return kind.empty() || has_word(manifest.targets, kind) ||
         std::ranges::any_of(manifest.architectures, [&](const std::string& one) { return fits_pattern(kind, one); });
}

bool takes_target_host(const Inquiry& inquiry, const Manifest& manifest) {
  if (inquiry.is_for_this_host) return true;
  const auto host = parse_target(inquiry.request.target_host);
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

}  // namespace kmux

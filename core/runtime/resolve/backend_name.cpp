#include "backend_name.h"

#include <algorithm>

#include "kmux/plugin/words.h"

namespace kmux {
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

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/target.h"

namespace kmux {

/// The capabilities of a backend.
struct Support {
  std::string_view backend;  // for messages
  std::vector<std::string> dialects;  // supported dialects
  std::vector<std::string> features;  // supported features, of kmux/plugin/features.h
  /// Returns true if the target has a requirement of a variant. Unset if the backend has no names for such
  /// requirements.
  std::function<bool(const std::string& arch)> has_arch = {};
  std::function<bool(const std::string& feature)> has_feature = {};  // a device feature
};

/// The feature in the result of `supports` that rejects nothing: another variant fits the target better. `path` is that
/// variant ("/variants/2"), `reason` explains the advantage. Candidates of a backend with fewer such entries come
/// first.
inline constexpr std::string_view kBetterFit = "better_fit";

/// Returns the requirements of the request's variant that `support` lacks: features, dialect, architectures, device
/// features. Looks at the IR only.
std::vector<MissingFeature> missing_of(const Support& support, const BuildRequest& request);

/// Returns the path of a member of the request's variant: "/variants/0/dialect".
std::string path_in_variant(const BuildRequest& request, std::string_view member);

/// Descriptions of the targets that a backend accepts, for messages that reject others.
struct TargetForms {
  std::string_view backend;  // for messages
  std::string_view kinds;  // "auto, cuda and sm_NN"
  std::string_view attributes;  // "arch"
  std::string_view examples;  // R"("cuda" or "cuda:sm_90a")"
};

/// Returns invalid_argument: `target` does not belong to the backend.
Error unknown_kind(const Target& target, const TargetForms& forms);

/// Returns invalid_argument: the backend does not have attribute `key`, or not with this value.
Error unknown_attribute(const std::string& key, const std::string& value, const TargetForms& forms);

/// Returns `why`, the unavailable error of a missing device, with advice to name an architecture as `example` does. Any
/// other error is returned unchanged.
Error no_architecture(std::string_view request, std::string_view example, Error why);

}  // namespace kmux

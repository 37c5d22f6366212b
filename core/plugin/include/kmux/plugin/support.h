#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/target.h"

namespace kmux {

/// What a backend takes of programs.
struct Support {
  std::string_view backend;  // for messages
  std::vector<std::string> dialects;  // that it takes
  std::vector<std::string> features;  // of kmux/plugin/features.h
  /// Does the target have what a variant requires? Left out: the backend has no names for such a thing.
  std::function<bool(const std::string& arch)> has_arch = {};
  std::function<bool(const std::string& feature)> has_feature = {};  // a device feature
};

/// The feature of what `supports` returns that refuses nothing: another variant fits the target better. `path` is that variant
/// ("/variants/2"), `reason` says how much better. Of the candidates of a backend those with fewer of them come first.
inline constexpr std::string_view kBetterFit = "better_fit";

/// What the variant of `request` uses or requires and `support` lacks: features, its dialect, architectures, features of
/// the device. Looks at the IR only.
std::vector<MissingFeature> missing_of(const Support& support, const BuildRequest& request);

/// The place of a member of the request's variant: "/variants/0/dialect".
std::string path_in_variant(const BuildRequest& request, std::string_view member);

/// What of targets a backend takes, in words, to refuse others with.
struct TargetForms {
  std::string_view backend;  // for messages
  std::string_view kinds;  // "auto, cuda and sm_NN"
  std::string_view attributes;  // "arch"
  std::string_view examples;  // R"("cuda" or "cuda:sm_90a")"
};

/// invalid_argument: `target` is not one of the backend.
Error unknown_kind(const Target& target, const TargetForms& forms);

/// invalid_argument: the backend does not have attribute `key`, or not with this value.
Error unknown_attribute(const std::string& key, const std::string& value, const TargetForms& forms);

/// What becomes of `why` there is no device whose architecture could be taken: `request` is to name one, as `example` does.
/// Any other error than unavailable stays as it is.
Error no_architecture(std::string_view request, std::string_view example, Error why);

}  // namespace kmux

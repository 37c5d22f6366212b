#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/backend.h"

namespace kmux {

/// What a backend takes of programs.
struct Support {
  std::string_view backend;
  std::vector<std::string> dialects;
  std::vector<std::string> features;  // of kmux/plugin/features.h
  /// Does the target have what a variant requires? Left out: the backend has no names for such a thing.
  std::function<bool(const std::string& arch)> has_arch = {};
  std::function<bool(const std::string& feature)> has_feature = {};
};

/// What the variant of `request` uses or requires and `support` lacks: features, its dialect, architectures, features of
/// the device. Looks at the IR only.
std::vector<MissingFeature> missing_of(const Support& support, const BuildRequest& request);

/// The place of a member of the request's variant: "/variants/0/dialect".
std::string path_in_variant(const BuildRequest& request, std::string_view member);

}  // namespace kmux

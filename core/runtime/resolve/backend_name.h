#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmux/manifest.h"

namespace kmux {

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

}  // namespace kmux

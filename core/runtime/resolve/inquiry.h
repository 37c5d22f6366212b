#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/manifest.h"
#include "kmux/resolver.h"

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

}  // namespace kmux

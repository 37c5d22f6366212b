#pragma once

#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/manifest.h"
#include "kmux/resolver.h"

#include "backend_name.h"

namespace kmux {

/// What is asked of every plugin, worked out once.
///
/// Lifetime: borrows the program.
struct Inquiry {
  const Program& program;
  ResolveRequest request;  // no field is left to the environment
  BackendName backend;
  Result<std::string> target_kind;  // "": any; an error: the target cannot be read

  Inquiry(const Program& asked, ResolveRequest complete, const std::vector<const Manifest*>& manifests);
};

/// Does `manifest` answer to the target that is asked for?
bool answers_target(const Inquiry& inquiry, const Manifest& manifest);

}  // namespace kmux

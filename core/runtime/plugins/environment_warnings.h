#pragma once

#include <string>
#include <vector>

#include "kmux/environment.h"
#include "kmux/manifest.h"

namespace kmux {

/// What in `environment` cannot be what its author meant, a message each: a name that begins with KMUX_ and that neither kmux
/// nor one of `plugins` reads, a switch that is neither on nor off, a path that leads nowhere.
std::vector<std::string> environment_warnings(const Environment& environment, const std::vector<Manifest>& plugins);

}  // namespace kmux

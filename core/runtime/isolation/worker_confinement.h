// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "kmux/plugin/confinement.h"
#include "kmux/plugin/plugin.h"
#include "kmux/target.h"

namespace kmux {

/// Returns the confinement of a worker with the plugin of `manifest` when it compiles any program. It may read the
/// system, kmux, the plugin, host compilers, and paths that the user names in `options` and in variables for
/// toolchains. The caller that starts it adds its writable folder.
Confinement confinement_of_plugin(const std::filesystem::path& manifest, const Options& options);

/// Returns `base` with the folders and the compiler that the user names for `request`. Folders from the program's flags
/// are not added.
Confinement with_request(Confinement base, const kmux_build_request& request);

}  // namespace kmux

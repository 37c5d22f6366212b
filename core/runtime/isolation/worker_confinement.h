// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "kmux/plugin/confinement.h"
#include "kmux/plugin/plugin.h"
#include "kmux/target.h"

namespace kmux {

/// Returns what a worker with the plugin of `manifest` is held to when it compiles, whatever the program: it reads the system, kmux, the
/// plugin, host compilers, and what the user names in `options` and in variables for toolchains. Who starts it adds where it may write.
Confinement confinement_of_plugin(const std::filesystem::path& manifest, const Options& options);

/// Returns `base` with the folders and the compiler that the user names for `request`. Those of the program's flags are not added.
Confinement with_request(Confinement base, const kmux_build_request& request);

}  // namespace kmux

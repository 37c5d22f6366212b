#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/environment.h"
#include "kmux/error.h"
#include "kmux/manifest.h"
#include "kmux/registry.h"

namespace kmux {

/// How the names of manifests end.
inline constexpr std::string_view kManifestSuffix = ".plugin.json";

/// Looks for manifests in the folders of `options`, in order: those of the API, those of the environment, beside
/// libkmux.so, the install prefix. A folder is looked at once; the current directory never is.
///
/// Every manifest gives an entry, sorted by file name within its folder. Its status says why it is refused: a relative,
/// world-writable or foreign folder or file, a malformed manifest, another ABI, a library that is missing or is not the
/// one described (size, build-id), a name that an earlier folder has.
std::vector<PluginEntry> search_plugins(const RegistryOptions& options);

/// The folders in which `options` searches, in order, whether they exist or not.
std::vector<std::filesystem::path> search_folders(const RegistryOptions& options);

/// The library that the manifest at `entry.path` describes.
std::filesystem::path library_of(const PluginEntry& entry);

/// Is that file the one that the manifest describes, and may code be taken from it? Found out without loading it.
///
/// Errors: unavailable that says what differs (size, build-id) or why it is not trusted.
Status check_library(const PluginEntry& entry);

/// Was the plugin of `entry` installed as a part of this kmux? It has the name of one of kmux's own, and lies where this library
/// has them.
bool is_own(const PluginEntry& entry);

/// A note of the errors of Registry::on_first_use, and its text where the plugin could not even be tried.
inline constexpr const char* kTrialNote = "trial";
inline constexpr const char* kNotTried = "not made";

/// What in `environment` cannot be what its author meant, a message each: a name that begins with KMUX_ and that neither kmux
/// nor one of `plugins` reads, a switch that is neither on nor off, a path that leads nowhere.
std::vector<std::string> environment_warnings(const Environment& environment, const std::vector<PluginEntry>& plugins);

}  // namespace kmux

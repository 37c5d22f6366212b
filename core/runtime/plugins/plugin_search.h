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

/// The suffix of manifest file names.
inline constexpr std::string_view kManifestSuffix = ".plugin.json";

/// Searches for manifests in the folders of `options`, in order: folders set through the API, those of the environment,
/// beside libkmux.so, the install prefix. Each folder is read once; the current directory never is.
///
/// Returns one entry per manifest, sorted by file name within its folder. The status of a refused entry has the reason:
/// a relative, world-writable or foreign folder or file, a malformed manifest, another ABI, a missing library or one
/// with another build-id, a name that an earlier folder has.
std::vector<PluginEntry> search_plugins(const RegistryOptions& options);

/// Returns the folders that `options` searches, in order, whether they exist or not.
std::vector<std::filesystem::path> search_folders(const RegistryOptions& options);

/// Returns the path of the library that the manifest at `entry.path` describes.
std::filesystem::path library_of(const PluginEntry& entry);

/// Checks, without loading it, that the library matches its manifest and that code may be loaded from it.
///
/// Errors: unavailable with the differing build-id, or the reason why the file is not trusted.
Status check_library(const PluginEntry& entry);

/// Returns true if the plugin of `entry` is part of this kmux: it has the name of a kmux plugin and is in kmux's own
/// plugin folder.
bool is_own(const PluginEntry& entry);

/// The name of a note on errors of Registry::on_first_use, and its text if the trial could not be run.
inline constexpr const char* kTrialNote = "trial";
inline constexpr const char* kNotTried = "not made";

/// Returns one message per mistake in `environment`: a name with the prefix KMUX_ that neither kmux nor one of
/// `plugins` reads, a switch that is neither on nor off, a path that does not exist.
std::vector<std::string> environment_warnings(const Environment& environment, const std::vector<PluginEntry>& plugins);

}  // namespace kmux

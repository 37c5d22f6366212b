#include "plugin_search.h"

#include <algorithm>
#include <set>

#include "kmux/plugin/plugin.h"
#include "kmux/registry.h"

#include "system/build_id.h"
#include "system/own_folder.h"
#include "system/trust.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifestSuffix = ".plugin.json";

Error refuse(ErrorCode code, const fs::path& path, const std::string& why, const std::string& advice) {
  return make_error(code, "\"" + path.string() + "\" is refused (" + why + "). " + advice);
}

Status check_abi(const PluginEntry& entry) {
  const auto host = static_cast<std::uint32_t>(KMUX_PLUGIN_ABI_VERSION);
  if (entry.manifest.abi_min <= host && host <= entry.manifest.abi_max) return Ok{};
  return refuse(ErrorCode::kUnavailable, entry.path,
                "it was built for plugin ABI " + std::to_string(entry.manifest.abi_min) + " to " +
                    std::to_string(entry.manifest.abi_max) + ", this kmux has " + std::to_string(host),
                "Install a plugin of the same release.");
}

Status examine(PluginEntry& entry) {
  KMUX_TRY(check_trusted(entry.path));
  KMUX_ASSIGN(entry.manifest, read_manifest(entry.path));
  KMUX_TRY(check_abi(entry));
  return check_library(entry);
}

/// The manifests in `folder`, by name.
std::vector<fs::path> manifests_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder, error)) {
    if (file.path().filename().string().ends_with(kManifestSuffix)) found.push_back(file.path());
  }
  std::ranges::sort(found);
  return found;
}

/// Collects entries and remembers which names are taken.
class Search {
 public:
  void folder(const fs::path& path) {
    if (!path.is_absolute()) {
      entries_.push_back({path,
                          {},
                          refuse(ErrorCode::kInvalidArgument, path, "it is a relative path",
                                 "Name plugin folders by absolute paths.")});
      return;
    }
    std::error_code missing;
    const fs::path folder = fs::canonical(path, missing);
    if (missing || !seen_.insert(folder).second) return;
    if (Status trusted = check_trusted(folder); !trusted) {
      entries_.push_back({folder, {}, std::move(trusted)});
      return;
    }
    for (const fs::path& manifest : manifests_in(folder)) add(manifest);
  }
  std::vector<PluginEntry> take() && { return std::move(entries_); }

 private:
  void add(const fs::path& manifest) {
    PluginEntry entry{manifest, {}, Ok{}};
    entry.status = examine(entry);
    if (entry.status && !names_.insert(entry.manifest.name).second) {
      entry.status = refuse(ErrorCode::kUnavailable, manifest,
                            "an earlier folder has a plugin \"" + entry.manifest.name + "\"", "Remove one of the two.");
    }
    entries_.push_back(std::move(entry));
  }
  std::vector<PluginEntry> entries_;
  std::set<fs::path> seen_;
  std::set<std::string> names_;
};

}  // namespace

fs::path library_of(const PluginEntry& entry) { return entry.path.parent_path() / entry.manifest.library; }

Status check_library(const PluginEntry& entry) {
  const fs::path library = library_of(entry);
  const char* const again = "Build or install the plugin again.";
  std::error_code error;
  const auto size = fs::file_size(library, error);
  if (error) return refuse(ErrorCode::kUnavailable, library, error.message(), again);
  KMUX_TRY(check_trusted(library));
  if (entry.manifest.size != size) {
    return refuse(ErrorCode::kUnavailable, library,
                  "it has " + std::to_string(size) + " bytes, its manifest says " + std::to_string(entry.manifest.size),
                  again);
  }
  KMUX_ASSIGN(const std::string build_id, read_build_id(library));
  if (entry.manifest.build_id != build_id) {
    return refuse(ErrorCode::kUnavailable, library,
                  "its build-id is " + build_id + ", its manifest says " + entry.manifest.build_id, again);
  }
  return Ok{};
}

std::vector<fs::path> search_folders(const RegistryOptions& options) {
  std::vector<fs::path> folders = options.search_path;
  folders.insert(folders.end(), options.environment_path.begin(), options.environment_path.end());
  if (!options.use_default_path) return folders;
  if (const fs::path own = own_folder(); !own.empty()) folders.push_back(own / KMUX_PLUGINS_FROM_LIBRARY);
  folders.emplace_back(KMUX_PLUGINS_INSTALLED);
  return folders;
}

std::vector<PluginEntry> search_plugins(const RegistryOptions& options) {
  Search search;
  for (const fs::path& folder : search_folders(options)) search.folder(folder);
  return std::move(search).take();
}

}  // namespace kmux

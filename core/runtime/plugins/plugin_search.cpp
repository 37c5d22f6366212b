#include "plugin_search.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <system_error>
#include <vector>

#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/plugin.h"
#include "kmux/plugin/process.h"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/switch_word.h"
#include "kmux/registry.h"

#include "system/environment_variables.h"
#include "system/trust.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

Error refuse(ErrorCode code, const fs::path& path, const std::string& why, const std::string& advice) {
  return make_error(code, "\"" + path.string() + "\" is refused (" + why + "). " + advice);
}

Status check_abi(const PluginEntry& entry) {
  const Manifest& plugin = entry.manifest;
  if (plugin.abi_min > KMUX_PLUGIN_ABI_VERSION) {
    return refuse(ErrorCode::kUnavailable, entry.path,
                  "it needs version " + std::to_string(plugin.abi_min) + " of the plugin ABI, this kmux has " +
                      std::to_string(KMUX_PLUGIN_ABI_VERSION),
                  "Update kmux.");
  }
  if (plugin.abi_max >= KMUX_PLUGIN_ABI_OLDEST) return Ok{};
  return refuse(ErrorCode::kUnavailable, entry.path,
                "its table has version " + std::to_string(plugin.abi_max) + " of the plugin ABI, this kmux takes " +
                    std::to_string(KMUX_PLUGIN_ABI_OLDEST) + " and newer",
                "Update the plugin.");
}

Status examine(PluginEntry& entry) {
  KMUX_TRY(check_trusted(entry.path));
  KMUX_ASSIGN(entry.manifest, read_manifest(entry.path));
  KMUX_TRY(check_abi(entry));
  return check_library(entry);
}

/// Returns the manifests in `folder`, sorted by name.
std::vector<fs::path> manifests_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (fs::path& file : entries_in(folder)) {
    if (file.filename().string().ends_with(kManifestSuffix)) found.push_back(std::move(file));
  }
  return found;
}

/// Collects entries and records the names in use.
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
    if (Status trusted = check_trusted_place(folder); !trusted) {
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

using Kind = EnvironmentVariable::Kind;
using Names = std::set<std::string, std::less<>>;

constexpr std::string_view kPrefix = "KMUX_";
constexpr std::string_view kOptionPrefix = "KMUX_OPTION_";

/// Returns why a path cannot be reached: no_such_file_or_directory if nothing is there, or another error.
std::error_code why_unreachable(const fs::path& path) {
  std::error_code error;
  const bool is_missing = fs::status(path, error).type() == fs::file_type::not_found;  // ENOTDIR, too
  return is_missing ? std::make_error_code(std::errc::no_such_file_or_directory) : error;
}

Names names_of_plugins(const std::vector<PluginEntry>& plugins) {
  Names names;
  for (const PluginEntry& plugin : plugins) {
    for (const auto& [option, variables] : plugin.manifest.environment)
      names.insert(variables.begin(), variables.end());
  }
  return names;
}

/// Returns the valid prefixes of options: plugin names, and prefixes that several plugins share ("nvidia.nvtx").
Names owners_of_options(const std::vector<PluginEntry>& plugins) {
  Names owners = {"kmux"};
  for (const PluginEntry& plugin : plugins) {
    owners.insert(plugin.manifest.name);
    for (const auto& [option, variables] : plugin.manifest.environment)
      owners.insert(option.substr(0, option.find('.')));
  }
  return owners;
}

/// Returns kmux's own variable that matches `name`, or null.
const EnvironmentVariable* own_variable(std::string_view name) {
  const auto is_it = [name](const EnvironmentVariable& variable) {
    return variable.kind == Kind::kPrefix ? name.starts_with(variable.name) : name == variable.name;
  };
  const auto variables = environment_variables();
  const auto found = std::ranges::find_if(variables, is_it);
  return found == variables.end() ? nullptr : &*found;
}

std::string unknown_name(const std::string& name, const Names& of_plugins) {
  std::vector<std::string> known(of_plugins.begin(), of_plugins.end());
  for (const EnvironmentVariable& variable : environment_variables()) {
    if (variable.kind != Kind::kPrefix) known.emplace_back(variable.name);
  }
  return name + " is set, but neither kmux nor a plugin that is here reads it." + did_you_mean(name, known) +
         " docs/environment.md lists the variables.";
}

std::string leads_nowhere(const std::string& name, const fs::path& path, const std::error_code& why) {
  const std::string names = name + " names " + in_quotes(path.string());
  if (why == std::errc::no_such_file_or_directory)
    return names + ", which is not there. Correct the path, or unset the variable.";
  return names + ", which this process cannot reach (" + why.message() +
         "). Correct the path, permit it, or unset the variable.";
}

class Review {
 public:
  Review(const Environment& environment, const std::vector<PluginEntry>& plugins)
      : environment_(environment), of_plugins_(names_of_plugins(plugins)), owners_(owners_of_options(plugins)) {}

  std::vector<std::string> run() && {
    for (const auto& [name, value] : environment_.variables) {
      if (name.starts_with(kPrefix) && !value.empty()) check(name, value);
    }
    check_paths();
    for (const auto& [option, value] : environment_.plugin_options) check_owner(option);
    return std::move(warnings_);
  }

 private:
  void check(const std::string& name, const std::string& value) {
    if (name.starts_with(kOptionPrefix)) return check_option(name);
    const EnvironmentVariable* const own = own_variable(name);
    if (own == nullptr && of_plugins_.contains(name)) {
      if (value.starts_with('/')) check_path(name, value);  // the plugin interprets other values
      return;
    }
    if (own == nullptr) return warn(unknown_name(name, of_plugins_));
    if (own->kind == Kind::kSwitch && !is_switch(value)) warn(odd_switch(name, value));
    if (own->kind == Kind::kPath) check_path(name, value);
  }

  /// Checks the paths of kmux's own variables, except those whose reader reports them.
  void check_paths() {
    for (const fs::path& folder : environment_.cache_read_only) {
      const std::error_code why = why_unreachable(folder);
      if (why == std::errc::no_such_file_or_directory) warn(leads_nowhere("KMUX_CACHE_RO", folder, why));
    }
    for (const fs::path& folder : environment_.plugin_path) check_path("KMUX_PLUGIN_PATH", folder);
    for (const char* const name : {"KMUX_COMPILER_READS", "KMUX_COMPILER_WRITES"}) check_folders_in(name);
    if (environment_.policy.value_or(Policy::kPriority) != Policy::kPinned && !environment_.lock_file.empty())
      check_path("KMUX_LOCK_FILE", environment_.lock_file);
    if (environment_.remote_cache.empty() && !environment_.remote_cache_key_file.empty())
      check_path("KMUX_REMOTE_CACHE_KEY_FILE", environment_.remote_cache_key_file);
  }

  /// Checks the form of the name only; check_owner checks the plugin.
  void check_option(const std::string& name) {
    if (name.find('_', kOptionPrefix.size()) == std::string::npos)
      warn(name + " names no option of a plugin. Such a variable is KMUX_OPTION_<PLUGIN>_<NAME>.");
  }

  void check_path(const std::string& name, const fs::path& path) {
    if (const std::error_code why = why_unreachable(path)) warn(leads_nowhere(name, path, why));
  }

  void check_folders_in(const std::string& name) {
    const auto found = environment_.variables.find(name);
    if (found == environment_.variables.end()) return;
    for (const std::string& folder : absolute_folders_in(found->second)) check_path(name, folder);
  }

  void check_owner(const std::string& option) {
    const std::string owner = option.substr(0, option.find('.'));
    if (owners_.contains(owner)) return;
    warn("option \"" + option + "\" is set in the environment, but there is no plugin \"" + owner + "\"." +
         did_you_mean(owner, {owners_.begin(), owners_.end()}) + " Such a variable is KMUX_OPTION_<PLUGIN>_<NAME>.");
  }

  void warn(std::string text) { warnings_.push_back(std::move(text)); }

  const Environment& environment_;
  const Names of_plugins_;
  const Names owners_;
  std::vector<std::string> warnings_;
};

}  // namespace

fs::path library_of(const PluginEntry& entry) { return entry.path.parent_path() / entry.manifest.library; }

Status check_library(const PluginEntry& entry) {
  const fs::path library = library_of(entry);
  const char* const again = "Build or install the plugin again.";
  std::error_code error;
  if (!fs::exists(library, error) || error) {
    return refuse(ErrorCode::kUnavailable, library, error ? error.message() : "there is no such file", again);
  }
  KMUX_TRY(check_trusted_place(library));
  Result<std::string> build_id = read_build_id(library);
  if (!build_id) {
    build_id.error().code = ErrorCode::kUnavailable;  // the same code as for a missing plugin
    return std::move(build_id).error();
  }
  if (entry.manifest.build_id != *build_id) {
    return refuse(ErrorCode::kUnavailable, library,
                  "its build-id is " + *build_id + ", its manifest has " + entry.manifest.build_id, again);
  }
  return Ok{};
}

namespace {

/// Returns the folders of the plugins that were installed with this kmux.
std::vector<fs::path> own_plugin_folders() {
  std::vector<fs::path> folders;
  if (const fs::path& own = own_folder(); !own.empty()) folders.push_back(own / KMUX_PLUGINS_FROM_LIBRARY);
  folders.emplace_back(KMUX_PLUGINS_INSTALLED);
  return folders;
}

}  // namespace

bool is_own(const PluginEntry& entry) {
  constexpr std::string_view kNames = " " KMUX_OWN_PLUGINS " ";
  if (kNames.find(" " + entry.manifest.name + " ") == std::string_view::npos) return false;
  return std::ranges::any_of(own_plugin_folders(), [&](const fs::path& folder) {
    std::error_code other;
    return fs::equivalent(entry.path.parent_path(), folder, other);
  });
}

std::vector<fs::path> search_folders(const RegistryOptions& options) {
  std::vector<fs::path> folders = options.search_path;
  folders.insert(folders.end(), options.environment_path.begin(), options.environment_path.end());
  if (options.use_default_path) std::ranges::copy(own_plugin_folders(), std::back_inserter(folders));
  return folders;
}

std::vector<PluginEntry> search_plugins(const RegistryOptions& options) {
  Search search;
  for (const fs::path& folder : search_folders(options)) search.folder(folder);
  return std::move(search).take();
}

std::vector<std::string> environment_warnings(const Environment& environment, const std::vector<PluginEntry>& plugins) {
  return Review(environment, plugins).run();
}

}  // namespace kmux

// SPDX-License-Identifier: Apache-2.0
#include "worker_confinement.h"

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/dispatch_json.h"
#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/process.h"
#include "kmux/plugin/word_list.h"

#include "system/trust.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

/// Returns the path up to its folder of Python packages, where the parts of a toolchain are side by side; else an empty
/// path.
fs::path packages_above(const fs::path& path) {
  fs::path above;
  for (const fs::path& part : path) {
    above /= part;
    if (part == "site-packages" || part == "dist-packages") return above;
  }
  return {};
}

bool holds_programs(const fs::path& folder) {
  const fs::path name = folder.filename();
  return name == "bin" || name == "lib" || name == "lib64";
}

/// Returns true for a folder that contains the user's home, and for the root.
bool is_too_wide(const fs::path& folder) {
  const char* const variable = std::getenv("HOME");
  std::error_code error;
  const fs::path home = fs::canonical(variable == nullptr ? "" : variable, error);
  const bool has_home = !error && !home.lexically_relative(folder).string().starts_with("..");
  return has_home || !folder.has_relative_path();
}

/// Returns the installation that contains `path`, a folder of programs or libraries or a file in one; else `path` with
/// links resolved.
std::string installation_around(const fs::path& path) {
  std::error_code error;
  const fs::path resolved = fs::canonical(path, error);
  const fs::path& real = error ? path : resolved;
  if (const fs::path packages = packages_above(real); !packages.empty()) return packages.string();
  const fs::path folder = holds_programs(real) ? real : real.parent_path();
  const bool is_installed = holds_programs(folder) && !is_too_wide(folder.parent_path());
  return (is_installed ? folder.parent_path() : real).string();
}

/// Adds the absolute paths among `words`, and the installations that contain them.
void add_installations(std::vector<std::string>& reads, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!word.starts_with('/')) continue;
    reads.push_back(word);
    reads.push_back(installation_around(word));
  }
}

}  // namespace

Confinement confinement_of_plugin(const fs::path& manifest, const Options& options) {
  Confinement held{.reads = {}, .writes = user_writes(), .is_timed = false};
  add_installations(held.reads, system_reads());
  // An installation has plugins in lib/kmux/plugins, and their dependencies beside that folder.
  add_installations(held.reads, {manifest.parent_path(), manifest.parent_path().parent_path(), own_folder()});
  for (const auto& [name, value] : options) add_installations(held.reads, {value});
  for (std::string& folder : python_packages("", reinterpret_cast<const void*>(&confinement_of_plugin)))
    held.reads.push_back(std::move(folder));
  return held;
}

Confinement with_request(Confinement base, const kmux_build_request& request) {
  const auto options = options_from_json(std::string_view(request.options.data, request.options.size));
  if (!options) return base;  // the plugin reports the error
  const auto lines_of = [&](const char* name) {
    const auto found = options->find(name);
    return found == options->end() ? std::vector<std::string>() : split_lines(found->second);
  };
  for (const std::string& folder : folders_of_user(lines_of("include_dirs"), lines_of("compile_flags"), Settings{}))
    base.reads.push_back(absolute_path(folder).string());
  add_installations(base.reads, lines_of("host_compiler"));
  return base;
}

}  // namespace kmux

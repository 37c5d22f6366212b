// SPDX-License-Identifier: Apache-2.0
#include "worker_confinement.h"

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
  add_installations(held.reads, {manifest.parent_path().string(), manifest.parent_path().parent_path().string(),
                                 own_folder().string()});
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

#include "identity.h"

#include "kmux/json.h"
#include "kmux/plugin/file_identity.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/words.h"

#include "engine/compiler.h"
#include "engine/compiler_libraries.h"
#include "engine/host_cpu.h"
#include "engine/installation.h"
#include "host_compiler.h"

namespace kmux::cpu {
namespace {

// One text, not a list of a hundred: each look into the cache reads and writes it.
const std::string& host_features() {
  static const std::string features = join({host_cpu().features.begin(), host_cpu().features.end()});
  return features;
}

}  // namespace

Result<std::string> toolchain_identity(const Target& target, const BuildOptions& options) {
  Json identity;
  if (options.engine == Engine::kHost) {
    KMUX_ASSIGN(const std::string compiler, find_host_compiler(options));
    identity["host_compiler"] = identify_compiler(compiler);
  } else {
    identity["compiler"] = compiler_version();
    Json::Array libraries;
    for (const std::string& library : compiler_libraries()) libraries.push_back(identify_file(library));
    identity["libraries"] = std::move(libraries);
    identity["resource_dir"] = resource_dir_or_default();
  }
  identity["triple"] = host_triple();
  const bool own = options.march == "native" ? target.arch == host_cpu().name : options.march == host_cpu().name;
  if (own) identity["features"] = host_features();
  // Options that the host filled in are not in the request, so they are said here.
  identity["engine"] = options.engine == Engine::kHost ? "host" : "clang";
  identity["march"] = options.march;
  identity["target_host"] = options.target_host;
  identity["opt_level"] = options.opt_level;
  identity["tier"] = name_of(options.tier);
  identity["compile_flags"] = json_list(options.compile_flags);
  identity["include_dirs"] = json_list(options.include_dirs);
  return dump(identity);
}

}  // namespace kmux::cpu

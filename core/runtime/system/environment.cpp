#include "kmux/environment.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <unistd.h>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/platform.h"
#include "kmux/plugin/switch_word.h"

#include "environment_variables.h"

namespace kmux {
namespace {

using Variables = std::map<std::string, std::string>;

/// Returns the first of `names` that is set and not empty, or "".
std::string name_of_first(const Variables& variables, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = variables.find(name);
    if (found != variables.end() && !found->second.empty()) return name;
  }
  return "";
}

/// Returns the value of the first of `names` that is set and not empty, or "".
std::string first_of(const Variables& variables, std::initializer_list<const char*> names) {
  const auto found = variables.find(name_of_first(variables, names));
  return found == variables.end() ? "" : found->second;
}

std::string or_auto(const Variables& variables, const std::string& name) {
  return name.empty() ? "auto" : variables.at(name);
}

/// Returns the cache folder, or an empty path without a home. Ignores relative values, as the XDG base directory
/// specification requires.
std::filesystem::path cache_dir_of(const Variables& variables) {
  if (const std::string dir = first_of(variables, {"KMUX_CACHE_DIR"}); !dir.empty()) return dir;
  if (const std::filesystem::path xdg = first_of(variables, {"XDG_CACHE_HOME"}); xdg.is_absolute()) return xdg / "kmux";
  if (const std::filesystem::path home = first_of(variables, {"HOME"}); home.is_absolute())
    return home / ".cache" / "kmux";
  return {};
}

/// Returns a folder local to this machine, as locks on network file systems are unreliable.
std::filesystem::path cache_lock_dir_of(const Variables& variables) {
  if (const std::filesystem::path run = first_of(variables, {"XDG_RUNTIME_DIR"}); run.is_absolute())
    return run / "kmux";
  return machine_folder() / ("kmux-" + std::to_string(getuid()));
}

/// Splits at ':'. Drops empty elements, which would mean the current directory.
std::vector<std::filesystem::path> split_path(std::string_view text) {
  std::vector<std::filesystem::path> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(':'), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Converts "CPU_ENGINE" to "cpu.engine". A plugin name with an underscore must be followed by two, for example
/// "MY_CPU__ENGINE".
std::string option_name(std::string name) {
  const std::size_t two = name.find("__");
  const std::size_t split = two != std::string::npos ? two : name.find('_');
  if (split == std::string::npos) return "";
  return lower_case(name.replace(split, two != std::string::npos ? 2 : 1, "."));
}

Result<std::optional<Isolation>> isolation_of(const std::string& name) {
  if (name.empty()) return std::optional<Isolation>();
  return isolation_from_string(name).transform([](Isolation isolation) { return std::optional(isolation); });
}

NameMap<std::string> options_of(const Variables& variables) {
  static constexpr std::string_view kPrefix = "KMUX_OPTION_";
  NameMap<std::string> options;
  for (const auto& [name, value] : variables) {
    if (!name.starts_with(kPrefix) || value.empty()) continue;
    if (const std::string option = option_name(name.substr(kPrefix.size())); !option.empty()) options[option] = value;
  }
  return options;
}

}  // namespace

Environment Environment::from(const Variables& variables, bool secure) {
  Environment environment;
  environment.target_variable = name_of_first(variables, {"KMUX_TARGET", "TILELANG_TARGET", "TILELANG_DEFAULT_TARGET"});
  environment.target = or_auto(variables, environment.target_variable);
  environment.execution_backend_variable =
      name_of_first(variables, {"KMUX_EXECUTION_BACKEND", "TILELANG_EXECUTION_BACKEND"});
  environment.execution_backend = or_auto(variables, environment.execution_backend_variable);
  environment.isolation = isolation_of(first_of(variables, {"KMUX_ISOLATION"}));
  environment.compile_memory = first_of(variables, {"KMUX_COMPILE_MEMORY"});
  if (const std::string policy = first_of(variables, {"KMUX_POLICY"}); !policy.empty())
    environment.policy = policy_from_string(policy);
  environment.compile_timeout = first_of(variables, {"KMUX_COMPILE_TIMEOUT"});
  environment.verbose = is_on(first_of(variables, {"KMUX_VERBOSE", "TILELANG_VERBOSE"}));
  // Under AT_SECURE the user that set the variables may have fewer rights than this process. So it takes no path and no
  // plugin option from them, since options name compilers and libraries.
  environment.disable_cache = secure || is_on(first_of(variables, {"KMUX_DISABLE_CACHE"}));
  environment.cache_max_bytes = first_of(variables, {"KMUX_CACHE_MAX_BYTES"});
  if (!secure) {
    environment.cache_dir = cache_dir_of(variables);
    environment.cache_of_group = is_on(first_of(variables, {"KMUX_CACHE_GROUP"}));
    environment.cache_read_only = split_path(first_of(variables, {"KMUX_CACHE_RO"}));
    environment.lock_file = first_of(variables, {"KMUX_LOCK_FILE"});
    environment.trace_file = first_of(variables, {"KMUX_TRACE"});
    environment.record_dir = first_of(variables, {"KMUX_RECORD"});
    environment.record_data = first_of(variables, {"KMUX_RECORD_DATA"});
    environment.cache_lock_dir = cache_lock_dir_of(variables);
    environment.remote_cache = first_of(variables, {"KMUX_REMOTE_CACHE"});
    environment.remote_cache_key_file = first_of(variables, {"KMUX_REMOTE_CACHE_KEY_FILE"});
    environment.remote_cache_ttl = first_of(variables, {"KMUX_REMOTE_CACHE_TTL"});
    environment.remote_cache_timeout = first_of(variables, {"KMUX_REMOTE_CACHE_TIMEOUT"});
    environment.remote_cache_read_only = is_on(first_of(variables, {"KMUX_REMOTE_CACHE_READ_ONLY"}));
    environment.plugin_trial = first_of(variables, {"KMUX_PLUGIN_TRIAL"});
    environment.plugin_path = split_path(first_of(variables, {"KMUX_PLUGIN_PATH"}));
    environment.variables = variables;
    environment.plugin_options = options_of(variables);
  }
  return environment;
}

Environment Environment::from_process() {
  Variables variables;
  for (char** entry = process_environment(); entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return from(variables, has_added_rights());
}

}  // namespace kmux

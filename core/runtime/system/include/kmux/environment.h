#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/name_map.h"
#include "kmux/policy.h"

namespace kmux {

/// The settings of kmux from the process environment. No other code reads the environment.
///
/// `TILELANG_TARGET` (or `TILELANG_DEFAULT_TARGET`), `TILELANG_EXECUTION_BACKEND` and `TILELANG_VERBOSE` apply where
/// the KMUX variable is unset or empty. A program with more rights than its caller (AT_SECURE) takes no path, server or
/// plugin option from the environment and has no cache.
struct KMUX_API Environment {
  std::string target = "auto";  // KMUX_TARGET
  std::string target_variable;  // the variable that set `target`; empty if none did
  std::string execution_backend = "auto";  // KMUX_EXECUTION_BACKEND
  std::string execution_backend_variable;  // the variable that set `execution_backend`; empty if none did
  /// KMUX_ISOLATION. Empty if unset: kNone, unless a compilation of many programs selects another. An invalid value is
  /// the error of every call that resolves a backend.
  Result<std::optional<Isolation>> isolation = std::optional<Isolation>();
  std::string compile_memory;  // KMUX_COMPILE_MEMORY: bytes, with K, M, G or T; unparsed
  Result<Policy> policy = Policy::kPriority;  // KMUX_POLICY; an invalid value is the error of every call that resolves
  std::filesystem::path lock_file;  // KMUX_LOCK_FILE: for policy pinned
  std::filesystem::path trace_file;  // KMUX_TRACE: where the default runtime writes a trace when the process ends
  std::filesystem::path record_dir;  // KMUX_RECORD: folder for recorded kernels and calls, for `kmux replay`
  std::string record_data;  // KMUX_RECORD_DATA: full, or empty; unparsed
  std::string compile_timeout;  // KMUX_COMPILE_TIMEOUT, seconds; unparsed: the call that uses it reports errors
  bool verbose = false;  // KMUX_VERBOSE: 1, true, yes, on
  std::filesystem::path cache_dir;  // KMUX_CACHE_DIR; default: XDG_CACHE_HOME/kmux or ~/.cache/kmux
  bool cache_of_group = false;  // KMUX_CACHE_GROUP: 1, true, yes, on; cache_dir may be group-writable
  bool disable_cache = false;  // KMUX_DISABLE_CACHE: 1, true, yes, on; also disables the in-memory cache
  std::vector<std::filesystem::path> cache_read_only;  // KMUX_CACHE_RO, ':' between: searched after cache_dir
  std::string cache_max_bytes;  // KMUX_CACHE_MAX_BYTES: a number, with K, M, G or T; default 4G
  std::string remote_cache;  // KMUX_REMOTE_CACHE: redis://[user[:password]@]host[:port][/database], redis+unix:///path
  std::filesystem::path remote_cache_key_file;  // KMUX_REMOTE_CACHE_KEY_FILE: entries must have a valid MAC by this key
  std::string remote_cache_ttl;  // KMUX_REMOTE_CACHE_TTL: seconds before an entry expires; default 30 days
  std::string remote_cache_timeout;  // KMUX_REMOTE_CACHE_TIMEOUT: ms, to connect and for each command; default 500
  bool remote_cache_read_only = false;  // KMUX_REMOTE_CACHE_READ_ONLY: 1, true, yes, on
  std::filesystem::path cache_lock_dir;  // XDG_RUNTIME_DIR/kmux, else /dev/shm/kmux-UID: local to the node
  std::vector<std::filesystem::path> plugin_path;  // KMUX_PLUGIN_PATH, ':' between; ignored under AT_SECURE
  std::string plugin_trial;  // KMUX_PLUGIN_TRIAL: seconds, or 0; unparsed; ignored under AT_SECURE
  /// KMUX_OPTION_<PLUGIN>_<NAME>=value as "plugin.name", in lower case; KMUX_OPTION_<PLUGIN>__<NAME> where the plugin's
  /// name has an underscore. None under AT_SECURE.
  NameMap<std::string> plugin_options;
  /// Every variable, for plugin options that a manifest maps to variables. Empty under AT_SECURE.
  std::map<std::string, std::string> variables;

  /// Returns the environment of this process.
  static Environment from_process();
  /// Returns the settings that the given variables describe (for tests); `secure` is AT_SECURE.
  static Environment from(const std::map<std::string, std::string>& variables, bool secure = false);
};

}  // namespace kmux

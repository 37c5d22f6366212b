#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/export.h"
#include "kmux/policy.h"
#include "kmux/target.h"

namespace kmux {

/// The capability that a backend must have on this machine; each includes the previous ones.
enum class Purpose : std::uint8_t { kWrap, kBuild, kRun };
/// Returns "wrap", "build" or "run".
KMUX_API std::string_view to_string(Purpose purpose);

/// How to compile a program. Every field has the meaning of TileLang's argument of that name and overrides the
/// environment.
struct CompileOptions {
  std::string target = {};             // empty: KMUX_TARGET, else "auto"
  std::string execution_backend = {};  // empty: KMUX_EXECUTION_BACKEND, else "auto"; a name is exact
  std::string target_host = {};  // target of the launcher; "c" or "llvm" alone is the default, and a processor
      // ("llvm -mcpu=x86-64-v3") requires a backend that compiles launchers for others
  std::vector<int> out_idx = {};  // output positions, negative from the end; only if the signature names no outputs
  std::optional<bool> verbose = {};  // logs to stderr; default: KMUX_VERBOSE
  std::optional<int> device = {};      // ordinal; default 0
  Options options = {};  // for the backend, for example "engine" -> "host"; an unknown name is an error
  std::vector<std::string> compile_flags = {};  // appended to the compiler's; split at blanks as a shell does
  std::vector<std::string> include_dirs = {};  // option "include_dirs", one per line
  bool use_cache = true;  // false: neither reads nor fills the cache, in memory or on disk
  std::optional<Isolation> isolation = {};  // default: KMUX_ISOLATION, else kNone
  /// The time limit of one backend step, only with isolation kProcess; 0: no limit. Default: KMUX_COMPILE_TIMEOUT, else
  /// no limit.
  ///
  /// Units: seconds, rounded up to milliseconds.
  std::optional<double> compile_timeout_s = {};
  std::optional<Policy> policy = {};  // default: KMUX_POLICY, else kPriority
  std::string lock_file = {};  // for policy kPinned, written by `kmux tune --lock`; empty: KMUX_LOCK_FILE
  bool operator==(const CompileOptions&) const = default;
};

}  // namespace kmux

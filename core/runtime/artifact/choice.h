#pragma once

#include <memory>
#include <string>

#include "kmux/compile_options.h"
#include "kmux/error.h"
#include "kmux/manifest.h"
#include "kmux/plugin/backend.h"
#include "kmux/registry.h"

namespace kmux {

class CodeTrial;
class Runtime;

/// A program with its chosen backend.
///
/// Lifetime: borrows the program.
struct Choice {
  Shared<Plugin> plugin;
  Backend* backend;  // the plugin's own
  BuildRequest request;
  Options settings = {};  // of the environment and the registry, from `settings_of`
  bool isolated = false;  // its cold calls run in a worker process
  std::shared_ptr<const CodeTrial> trial = {};  // of the built code; may be null
};

/// Builds the choice from the resolver's result: plugin `backend`, `variant` and the canonical `target`.
///
/// Errors: those of opening the plugin; invalid_argument for options that contradict each other.
Result<Choice> choose(Runtime& runtime, const Program& program, const CompileOptions& options,
                      const std::string& backend, std::size_t variant, Target target);

/// Returns the choice's request for one tier; `tier` must be empty if the backend has none.
BuildRequest request_in_tier(const Choice& choice, const std::string& tier);

/// Returns the settings for the plugin of `manifest` in the `options` of a registry, whether or not it looks them up.
/// Options with its own prefix get their request names ("check" for "cpu.check"); those of another prefix ("tool.home")
/// are included if the manifest names them. Options listed as `unkeyed` are left out.
Options settings_of(const Manifest& manifest, const Options& options);

/// Returns the options as a backend receives them: `options`, plus "compile_flags", "include_dirs" (one line per
/// element) and "target_host" if given.
///
/// Errors: invalid_argument for an element with a line break, and for a name given both ways.
Result<Options> compiler_options(const CompileOptions& options);

/// Returns `options` for a background build with plugin `name`. The build gets a separate process if the manifest
/// requires that, the caller has not set the isolation and a kmux-worker is installed. That process is killed when this
/// one ends.
CompileOptions background_options(const Runtime& runtime, CompileOptions options, const std::string& name);

}  // namespace kmux

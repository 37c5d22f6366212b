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

/// A program with the backend that was chosen for it.
///
/// Lifetime: borrows the program.
struct Choice {
  Shared<Plugin> plugin;
  Backend* backend;  // the plugin's own
  BuildRequest request;
  Options settings = {};  // of the environment and the registry, as `settings_of` has them
  bool isolated = false;  // its cold calls go to a process of its own
  std::shared_ptr<const CodeTrial> trial = {};  // of what is built; null: none
};

/// Takes what the resolver chose: plugin `backend`, `variant` and the canonical `target`.
///
/// Errors: those of opening the plugin; invalid_argument for options that contradict each other.
Result<Choice> choose(Runtime& runtime, const Program& program, const CompileOptions& options,
                      const std::string& backend, std::size_t variant, Target target);

/// The choice's request for one tier; `tier` is empty if the backend has none.
BuildRequest request_in_tier(const Choice& choice, const std::string& tier);

/// What `options` of a registry set for the plugin of `manifest`, whether or not it looks them up: those of its own prefix by
/// the names that a request has ("check" for "cpu.check"), those of another prefix ("tool.home") that its manifest names. Options
/// that the manifest lists as `unkeyed` are left out.
Options settings_of(const Manifest& manifest, const Options& options);

/// The options as a backend receives them: `options`, and "compile_flags", "include_dirs" (a line each element) and
/// "target_host" where they are given.
///
/// Errors: invalid_argument for an element with a line break, and for a name that is given both ways.
Result<Options> compiler_options(const CompileOptions& options);

/// `options` for a build with plugin `name` in the background: in a process of its own if the manifest asks for that, the
/// caller has left it open and there is a kmux-worker. When the process ends, that is killed.
CompileOptions background_options(const Runtime& runtime, CompileOptions options, const std::string& name);

}  // namespace kmux

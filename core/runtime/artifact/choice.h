#pragma once

#include <memory>
#include <string>

#include "kmux/compile_options.h"
#include "kmux/error.h"
#include "kmux/manifest.h"
#include "kmux/plugin/backend.h"
#include "kmux/registry.h"

#include "compile_settings.h"
#include "tier_plan.h"

namespace kmux {

class CodeTrial;

/// A program with its chosen backend.
///
/// Lifetime: borrows the program.
struct Choice {
  Shared<Plugin> plugin;
  Backend* backend;  // the plugin's own
  BuildRequest request;
  Options settings = {};  // of the environment and the registry, from `settings_of`
  TierPlan tiers = {};
  bool isolated = false;  // its cold calls run in a worker process
  std::shared_ptr<const CodeTrial> trial = {};  // of the built code; may be null
};

/// Builds the choice from the resolver's result: plugin `backend`, `variant` and the canonical `target`.
///
/// Errors: those of opening the plugin; invalid_argument for an unknown tier, and options that contradict each other.
Result<Choice> choose(IsolatedPlugins& plugins, const CompileSettings& settings, const std::string& backend,
                      const Program& program, std::size_t variant, const std::string& target);

/// Returns the choice's request for one tier; `tier` must be empty if the backend has none.
BuildRequest request_in_tier(const Choice& choice, const std::string& tier);

/// Returns the settings for the plugin of `manifest` in the `options` of a registry, whether or not it looks them up.
/// Options with its own prefix get their request names ("check" for "cpu.check"); those of another prefix ("tool.home")
/// are included if the manifest names them. Options listed as `unkeyed` are left out.
Options settings_of(const Manifest& manifest, const Options& options);

/// Returns `settings` for a background build with plugin `backend`. The build gets a separate process if the manifest
/// requires that, the caller has not set the isolation and a kmux-worker is installed. That process is killed when this
/// one ends.
CompileSettings background_settings(const IsolatedPlugins& plugins, CompileSettings settings,
                                    const std::string& backend);

}  // namespace kmux

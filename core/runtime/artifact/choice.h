#pragma once

#include <memory>
#include <string>

#include "kmux/compile_options.h"
#include "kmux/registry.h"

namespace kmux {

class Runtime;

/// A program with the backend that was chosen for it.
///
/// Lifetime: borrows the program.
struct Choice {
  std::shared_ptr<Plugin> plugin;
  Backend* backend;  // the plugin's own
  BuildRequest request;
  bool apart = false;  // its cold calls go to a process of its own
};

/// Takes what the resolver chose: plugin `backend`, `variant` and the canonical `target`.
///
/// Errors: those of opening the plugin; invalid_argument for options that contradict each other.
Result<Choice> choose(Runtime& runtime, const Program& program, const CompileOptions& options,
                      const std::string& backend, std::size_t variant, Target target);

/// The choice's request for one tier; `tier` is empty if the backend has none.
BuildRequest request_in_tier(const Choice& choice, const std::string& tier);

}  // namespace kmux

#pragma once

#include <string>

#include "kmux/dispatch.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::metal {

/// Prints the launcher, which is the plan that the adapter executes. The text also has the Metal settings of each
/// launch: buffers, bytes, threadgroup memory, threadgroups and their threads, function constants.
class MetalWrapper final : public Wrapper {
 public:
  explicit MetalWrapper(Host host) : host_(host) {}

  /// Returns the text of the plan.
  ///
  /// Errors: invalid_argument for an unknown option or an invalid value; unsupported for more arguments than Metal
  ///         binds.
  Result<std::string> wrap(const BuildRequest& request) override;

 private:
  Host host_;
};

/// Returns the sources of a variant as one text. Metal compiles one text and has no header folders, so each include of
/// a program's file is replaced by its content. `#line` keeps the user's files and lines in messages.
///
/// Includes of other files (<metal_stdlib>) are unchanged.
std::string source_text(const Variant& variant);

}  // namespace kmux::metal

#pragma once

#include <string>

#include "kmux/dispatch.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::metal {

/// The launcher is the plan, which the adapter executes; what `wrap` gives is its text with what Metal is told of each
/// launch: buffers, bytes, threadgroup memory, threadgroups and their threads, function constants.
class MetalWrapper final : public Wrapper {
 public:
  explicit MetalWrapper(Host host) : host_(host) {}

  /// Errors: invalid_argument for an unknown option or a bad value; unsupported for more arguments than Metal binds.
  Result<std::string> wrap(const BuildRequest& request) override;

 private:
  Host host_;
};

/// The sources of a variant as one text: Metal compiles a text and knows no folder of headers, so the program's own
/// files stand where they are included. `#line` keeps the user's files and lines in messages.
///
/// Files that the program does not have (<metal_stdlib>) stay as they are.
std::string source_text(const Variant& variant);

}  // namespace kmux::metal

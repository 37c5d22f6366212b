#pragma once

#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux::hip {

/// The code object for `arch` of `bytes`: those of a Clang offload bundle, as hipcc writes it, or `bytes` themselves if
/// they are no bundle.
///
/// Errors: invalid_argument for a bundle that is cut off or has no code for `arch`, with what it has; unsupported for one
///         that is compressed.
/// Source: Clang, ClangOffloadBundler, "Bundled Binary File Layout".
Result<std::string> unbundled(std::string_view bytes, std::string_view arch);

}  // namespace kmux::hip

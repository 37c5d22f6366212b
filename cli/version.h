#pragma once

namespace kmux::cli {

/// The version of this build.
inline constexpr const char* kVersion = KMUX_VERSION;

}  // namespace kmux::cli

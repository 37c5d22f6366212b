#pragma once

namespace kmux::nvidia {

/// The parts of an artifact of a backend that prints a launcher: the cubin, the compiled launcher, its text, how they came
/// about. `LibraryAdapter` needs the second.
inline constexpr const char* kCodePart = "code";
inline constexpr const char* kLibraryPart = "library";
inline constexpr const char* kLauncherPart = "launcher";
inline constexpr const char* kMetaPart = "meta.json";

}  // namespace kmux::nvidia

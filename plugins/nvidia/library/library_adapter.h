#pragma once

#include <memory>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "launcher_library.h"

namespace kmux::nvidia {

/// A kernel whose launcher was printed and compiled. A launch is one call into it.
///
/// Threads: any, concurrently.
class LibraryAdapter final : public Adapter {
 public:
  /// Loads what the builder of `backend` made. Nothing of the driver is touched before `prepare` or the first launch.
  ///
  /// Errors: invalid_argument if the artifact is of another backend or incomplete; unavailable if the launcher cannot be
  ///         loaded.
  static Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, const Host& host, const std::string& backend);
  explicit LibraryAdapter(const Host& host) : host_(host) {}

  Status prepare(int device) override;
  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override {
    return entry()(slots, env, error);
  }
  LaunchEntry entry() noexcept override { return library_->entry(); }

 private:
  Host host_;  // the library logs to it
  std::unique_ptr<LauncherLibrary> library_;
};

/// The parts of an artifact of a backend that prints a launcher: the cubin, the compiled launcher, its text, how they came
/// about. `LibraryAdapter` needs the second.
inline constexpr const char* kCodePart = "code";
inline constexpr const char* kLibraryPart = "library";
inline constexpr const char* kLauncherPart = "launcher";
inline constexpr const char* kMetaPart = "meta.json";

}  // namespace kmux::nvidia

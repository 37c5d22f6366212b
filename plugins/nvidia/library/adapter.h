#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/plugin.h"
#include "kmux/plugin/plugin.hpp"

#include "nvidia/launch/driver_error.h"
#include "nvidia/launch/persisting_lines.h"

namespace kmux::nvidia {

/// A compiled launcher in this process, opened from memory. Each object is a separate instance, even with equal bytes.
///
/// Threads: `prepare` and `launch` are thread-safe.   Lifetime: closing blocks until its launches are done.
class LauncherLibrary {
 public:
  enum class Ranges { kHidden, kShown };  // to profilers
  /// Loads `bytes`. `log` must outlive the object. With `blocking`, each launch blocks until the kernel is done.
  ///
  /// Errors: unavailable with the loader's text; invalid_argument if `bytes` is not a launcher.
  static Result<std::unique_ptr<LauncherLibrary>> open(const std::string& bytes, Log log, Ranges ranges,
                                                       bool blocking = false);
  LauncherLibrary(const LauncherLibrary&) = delete;
  LauncherLibrary& operator=(const LauncherLibrary&) = delete;
  ~LauncherLibrary();

  int prepare(int device, kmux_sink error) const { return prepare_(device, error); }
  int find_variable(int device, const std::string& symbol, ConstantPlace& place, kmux_sink error) const {
    return find_variable_(device, symbol.c_str(), &place.address, &place.bytes, error);
  }
  LaunchEntry entry() const { return {{launch_, launcher_}}; }

 private:
  explicit LauncherLibrary(MemoryLibrary library) : library_(std::move(library)) {}
  template <class Function>
  Status find(const char* name, Function*& function) const;

  kmux_code (*launch_)(void*, const kmux_slot*, const kmux_launch_env*, kmux_sink) = nullptr;
  int (*prepare_)(int, kmux_sink) = nullptr;
  int (*find_variable_)(int, const char*, void**, std::uint64_t*, kmux_sink) = nullptr;
  void* (*open_)(Log, bool, PersistingLines*, bool) = nullptr;
  void (*close_)() = nullptr;
  void* launcher_ = nullptr;
  MemoryLibrary library_;
};

/// A kernel with a printed and compiled launcher. A launch is one call into it.
///
/// Threads: thread-safe.
class LibraryAdapter final : public Adapter {
 public:
  /// Loads an artifact that the builder of `backend` made. Calls no driver before `prepare` or the first launch.
  ///
  /// Errors: invalid_argument if the artifact is of another backend or incomplete; unavailable if the launcher cannot be
  ///         loaded.
  static Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, const Host& host, const std::string& backend);
  explicit LibraryAdapter(const Host& host) : host_(host) {}

  Status prepare(int device) override;
  Result<ConstantPlace> constant(int device, std::string_view name) override;
  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override {
    return entry()(slots, env, error);
  }
  LaunchEntry entry() noexcept override { return library_->entry(); }

 private:
  Host host_;  // the library's log
  std::unique_ptr<LauncherLibrary> library_;
  std::vector<ConstantSymbol> constants_;
};

/// The parts of an artifact of a backend that prints a launcher: the cubin, the compiled launcher, its text, and the
/// record of the build. `LibraryAdapter` requires the second only.
inline constexpr const char* kCodePart = "code";
inline constexpr const char* kLibraryPart = "library";
inline constexpr const char* kLauncherPart = "launcher";
inline constexpr const char* kMetaPart = "meta.json";

}  // namespace kmux::nvidia

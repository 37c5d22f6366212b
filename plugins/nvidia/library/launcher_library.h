#pragma once

#include <memory>
#include <string>
#include <utility>

#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/memory_library.h"
#include "kmux/plugin/plugin.h"

#include "nvidia/launch/log.h"
#include "nvidia/launch/persisting_lines.h"

namespace kmux::nvidia {

/// A compiled launcher in this process, opened from memory: an instance of its own, even of equal bytes.
///
/// Threads: `prepare` and `launch` any, concurrently.   Lifetime: closing waits for what was launched.
class LauncherLibrary {
 public:
  enum class Ranges { kHidden, kShown };  // to profilers
  /// `log` outlives the object.
  ///
  /// Errors: unavailable with the loader's words; invalid_argument if it is no launcher.
  static Result<std::unique_ptr<LauncherLibrary>> open(const std::string& bytes, Log log, Ranges ranges);
  LauncherLibrary(const LauncherLibrary&) = delete;
  LauncherLibrary& operator=(const LauncherLibrary&) = delete;
  ~LauncherLibrary();

  int prepare(int device, kmux_sink error) const { return prepare_(device, error); }
  LaunchEntry entry() const { return {{launch_, launcher_}}; }

 private:
  explicit LauncherLibrary(MemoryLibrary library) : library_(std::move(library)) {}
  template <class Function>
  Status find(const char* name, Function*& function) const;

  kmux_code (*launch_)(void*, const kmux_slot*, const kmux_launch_env*, kmux_sink) = nullptr;
  int (*prepare_)(int, kmux_sink) = nullptr;
  void* (*open_)(Log, bool, PersistingLines*) = nullptr;
  void (*close_)() = nullptr;
  void* launcher_ = nullptr;
  MemoryLibrary library_;
};

}  // namespace kmux::nvidia

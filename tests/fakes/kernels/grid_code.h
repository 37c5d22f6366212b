#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/backend.h"

namespace kmux::fakes {

/// C++ for one thread of a device, in dialect hip. It must begin with `#include "kmux_blocks.h"` (blocks.h), which
/// defines the interface of its kernels.
struct GridSource {
  std::string text;
  std::vector<File> headers = {};
  std::vector<std::string> kernels = {};  // their symbols
  std::vector<std::string> defines = {};  // "NAME" or "NAME=VALUE"
  std::string standard = {};  // empty: C++20
  std::vector<std::string> include_dirs = {};  // after `headers`
};

/// The grid and blocks of a launch.
struct GridExtents {
  std::array<unsigned, 3> grid;
  std::array<unsigned, 3> block;
  std::uint64_t dynamic_bytes = 0;  // of shared memory; it begins as junk
};

/// A fault that a launch detected.
enum class GridFault : unsigned char { kNone, kDeadlock, kOverrun };

/// Kernels of a fake device, run by the backend for CPUs (its plugin, opened as applications open it).
///
/// A launch of few threads runs code for blocks of any extents. A launch of many runs code specialised for its extents,
/// compiled by the first such launch. If the source has variables that outlive a launch (except those with `kmux_` in
/// their names), every launch runs the general code, so that each variable has one instance.
///
/// Threads: any.
class GridCode {
 public:
  /// Compiles the source. The result is valid for `load`, in this process or another.
  ///
  /// Errors: those of the plugin: compile_failed, unsupported; unavailable without it.
  static Result<std::string> compile(const GridSource& source);

  /// Returns the symbols of the variables that outlive a launch, in code that `compile` returned.
  ///
  /// Errors: as `load`.
  static Result<std::vector<std::string>> variables(std::string_view compiled);

  /// Errors: those of the plugin.
  static Result<std::unique_ptr<GridCode>> load(std::string_view compiled);

  /// Runs all blocks; kernel number `kernel` of the source gets the addresses of its arguments.
  ///
  /// Errors: launch_failed if the kernel itself refuses.
  Result<GridFault> launch(std::size_t kernel, const GridExtents& extents, void* const* arguments);

 private:
  using Key = std::pair<std::size_t, std::array<unsigned, 3>>;  // kernel and extents of a block
  GridCode(GridSource source, std::unique_ptr<Adapter> general, bool has_variables)
      : source_(std::move(source)), general_(std::move(general)), has_variables_(has_variables) {}
  Result<Adapter*> adapter_for(std::size_t kernel, const GridExtents& extents);

  const GridSource source_;
  const std::unique_ptr<Adapter> general_;
  const bool has_variables_;
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<Adapter>> special_;  // under mutex_
};

}  // namespace kmux::fakes

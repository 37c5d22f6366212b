#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "kmux/compile.h"
#include "kmux/kernel.h"

namespace kmux {

/// Returns true if a value may have a relative path, such as a compiler "./mycc": it then names another file in another
/// working directory.
bool has_relative_path(const Options& options);

/// The memory tier of the cache: the most recently used kernels, by all arguments of `compile`.
///
/// Threads:  any; programs are compared and headers checked outside the lock.
/// Lifetime: owns its kernels, and so their plugins, until they are the least recently used or forgotten.
class KernelMemo {
 public:
  /// Returns the kernel that `compile` made of the same program and options, unless it is out of date.
  std::optional<Kernel> find(const Program& program, const CompileOptions& options);
  /// Stores `kernel` and replaces an older one of the same program and options. Does nothing if it is already out of
  /// date.
  void keep(std::shared_ptr<const Program> program, const CompileOptions& options, const Kernel& kernel);
  /// Releases the kernels of a backend, so that it can be unloaded.
  void forget(std::string_view backend);

 private:
  struct Entry {
    std::size_t fingerprint;
    std::shared_ptr<const Program> program;
    CompileOptions options;
    Kernel kernel;
  };
  using EntryPointer = std::shared_ptr<const Entry>;
  EntryPointer look_up(const Program& program, const CompileOptions& options) const;

  mutable std::mutex mutex_;
  std::list<EntryPointer> entries_;  // the most recently used first
};

}  // namespace kmux

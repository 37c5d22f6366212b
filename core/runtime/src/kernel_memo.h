#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string_view>

#include "kmux/compile.h"
#include "kmux/kernel.h"

#include "cache/dependency_state.h"

namespace kmux {

/// The memory tier of the cache: the kernels that were compiled last, by all that `compile` was given.
///
/// Threads:  any.
/// Lifetime: keeps its kernels, and so their plugins, until they are the least used or forgotten.
class KernelMemo {
 public:
  /// The kernel that `compile` made of the same program and options, unless a header has changed since.
  std::optional<Kernel> find(const Program& program, const CompileOptions& options);
  /// `state` is that of the headers which the kernel was compiled with.
  void keep(const Program& program, const CompileOptions& options, const Kernel& kernel, DependencyState state = {});
  /// Lets go of the kernels of a backend, so that it can be unloaded.
  void forget(std::string_view backend);

 private:
  struct Entry {
    std::size_t fingerprint;
    Program program;
    CompileOptions options;
    Kernel kernel;
    DependencyState state;
  };
  std::list<Entry>::iterator look_up(const Program& program, const CompileOptions& options);

  std::mutex mutex_;
  std::list<Entry> entries_;  // the last used first
};

}  // namespace kmux

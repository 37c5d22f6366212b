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

/// The memory tier of the cache: the kernels that were compiled last, by all that `compile` was given.
///
/// Threads:  any; none waits for another one's comparing of programs or looking at headers.
/// Lifetime: keeps its kernels, and so their plugins, until they are the least used or forgotten.
class KernelMemo {
 public:
  /// The kernel that `compile` made of the same program and options, unless it is out of date.
  std::optional<Kernel> find(const Program& program, const CompileOptions& options);
  /// Takes the place of an older kernel of the same program and options. One that is out of date already is not kept.
  void keep(std::shared_ptr<const Program> program, const CompileOptions& options, const Kernel& kernel);
  /// Lets go of the kernels of a backend, so that it can be unloaded.
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
  std::list<EntryPointer> entries_;  // the last used first
};

/// What `compile` would find in memory with these options.
std::optional<Kernel> find_known(Runtime& runtime, const Program& program, const CompileOptions& options);

/// What it would find on this machine's disk without asking a driver, or the error of loading that; nothing if it must be
/// compiled, or looked for elsewhere.
std::optional<Result<Kernel>> find_on_disk(Runtime& runtime, const Program& program, const CompileOptions& options);

}  // namespace kmux

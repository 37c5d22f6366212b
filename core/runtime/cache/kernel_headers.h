#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/error.h"

#include "cache/disk/dependency_state.h"
#include "system/fork_guard.h"

namespace kmux {

/// The files outside the program that the code of a kernel was compiled from, as they were then. A kernel may go on with the
/// code of another tier, variant or backend; that is of the same moment, and its files are added.
///
/// Threads: any.
class KernelHeaders {
 public:
  /// Those of `artifact`, which a build, or a look-up in the cache, that began at `began` gave. Where one changed since, or what
  /// was read is not known, they count as changed from the start.
  KernelHeaders(const Artifact& artifact, FileTime began);
  KernelHeaders(const KernelHeaders&) = delete;
  KernelHeaders& operator=(const KernelHeaders&) = delete;

  /// Are all of them as they were? Costs nothing where there are none, else a `stat` a file and a folder of candidates.
  /// Allocates nothing as long as they are.
  bool are_unchanged() const { return empty() || look(); }

  bool empty() const { return !has_any_.load(std::memory_order_acquire); }

  /// Adds those of code that is about to replace the kernel's.
  ///
  /// Errors: unavailable if a file that it was compiled from changed since the kernel was compiled: it is of another moment.
  Status add(const Artifact& other);

  /// Adds a file that decided on the code without being compiled, by its absolute path. Only before others know of this.
  void add_file(const std::string& path);

  /// Hashes the contents, so that a file which is only touched, or replaced by an equal one, does not count as changed.
  void hash();

 private:
  using States = std::vector<std::shared_ptr<const DependencyState>>;
  bool look() const;
  std::shared_ptr<const States> states() const;
  void keep(DependencyState state);

  FileTime began_;
  bool is_known_ = true;  // set before others know of this
  std::atomic<bool> has_any_ = false;
  mutable std::mutex mutex_;
  ForkGuard guard_{mutex_};
  std::shared_ptr<const States> states_ = std::make_shared<const States>();  // replaced, never changed
};

}  // namespace kmux

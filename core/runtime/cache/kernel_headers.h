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

/// The files outside the program that a kernel was compiled from, in their state at that time. A kernel may switch to
/// code of another tier, variant or backend of the same time; the files of that code are added.
///
/// Threads: any.
class KernelHeaders {
 public:
  /// Records the files of `artifact`, the result of a build or cache look-up that began at `began`. If one has changed
  /// since, or the files are unknown, they count as changed from the start.
  KernelHeaders(const Artifact& artifact, FileTime began);
  KernelHeaders(const KernelHeaders&) = delete;
  KernelHeaders& operator=(const KernelHeaders&) = delete;

  /// Returns true if no file has changed. Free without files, else one `stat` per file and per folder of candidates.
  /// Does not allocate while nothing has changed.
  bool are_unchanged() const { return empty() || look(); }

  bool empty() const { return !has_any_.load(std::memory_order_acquire); }

  /// Adds the files of code that is about to replace the kernel's code.
  ///
  /// Errors: unavailable if a file of that code changed after the kernel was compiled, so the code is of another time.
  Status add(const Artifact& other);

  /// Adds a file that influenced the code without being compiled, by its absolute path. Must be called before this
  /// object is shared with other threads.
  void add_file(const std::string& path);

  /// Hashes the contents, so that a file that is only touched, or replaced by an equal one, does not count as changed.
  void hash();

 private:
  using States = std::vector<std::shared_ptr<const DependencyState>>;
  bool look() const;
  std::shared_ptr<const States> states() const;
  void keep(DependencyState state);

  FileTime began_;
  bool is_known_ = true;  // set before this object is shared
  std::atomic<bool> has_any_ = false;
  mutable std::mutex mutex_;
  ForkGuard guard_{mutex_};
  std::shared_ptr<const States> states_ = std::make_shared<const States>();  // replaced, never changed
};

}  // namespace kmux

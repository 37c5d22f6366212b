#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>

#include "kmux/compile.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/jit_core.h"
#include "kmux/kernel.h"
#include "kmux/plugin/file_io.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"

#include "kernel_map.h"
#include "system/fork_guard.h"

namespace kmux {

/// A program to compile, and the key of its kernel in the wrapper: the program's digest, the target and the device.
struct JitJob {
  std::string key;
  CompileJob job;
};

/// The files that a wrapper writes for people: one folder per program, NAME-DIGEST, with
///
///     program/NAME.kmux.json   the IR, and the sources it names
///     config.json              the call that requested it last
///     function.txt             the source of the wrapper's function, if it was given
///     launcher-BACKEND.txt     once it is compiled
///
/// Threads: any; each file is replaced as a whole.
class DebugFiles {
 public:
  /// Writes below `root`, or nothing if it is empty. A relative path is resolved now, from the current directory.
  DebugFiles(const std::string& root, std::string function)
      : root_(root.empty() ? std::filesystem::path() : absolute_path(root)), function_(std::move(function)) {}

  /// Writes the program. Must be called before the compilation, so that the files exist even if it fails.
  ///
  /// Errors: unavailable that names the file.
  Status write_program(const Program& program, const std::string& config) const;
  Status write_launcher(const Program& program, const Kernel& kernel) const;

 private:
  std::filesystem::path folder_of(const Program& program) const;
  std::filesystem::path root_;
  std::string function_;
};

/// The programs whose kernel with state belongs to a configuration already.
///
/// Threads: any.
class Claims {
 public:
  /// Returns true for the first claim of `program`.
  bool insert(const std::string& program) {
    const std::lock_guard lock(mutex_);
    return programs_.insert(program).second;
  }

 private:
  std::mutex mutex_;
  ForkGuard guard_{mutex_};
  std::set<std::string> programs_;
};

/// The kernels and files of a wrapper.
struct JitCore::State {
  explicit State(const JitOptions& options) : debug_files(options.debug_root_path, options.function_source) {}

  /// Returns the kernel of `request`, found or compiled.
  Result<Kernel> compile(const JitCore& core, const JitRequest& request);
  /// Stores `kernel` for later calls in this form.
  void remember(const JitCore& core, const JitRequest& request, const Kernel& kernel);

  FormTable forms;
  KernelMap kernels;
  Claims claims;
  DebugFiles debug_files;
  std::atomic<bool> told_of_full_table = false;
};

/// Returns `error` with the call that it belongs to as note "config".
Error in_call(Error error, const std::string& key);

}  // namespace kmux

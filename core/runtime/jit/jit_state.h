#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
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

namespace kmux {

/// A program to compile, and the key of its kernel in the wrapper: what it is, and for which device.
struct JitJob {
  std::string key;
  CompileJob job;
};

/// What a wrapper writes for people: a folder a program, NAME-DIGEST, with
///
///     program/NAME.kmux.json   the IR, and the sources it names
///     config.json              the call that asked for it last
///     function.txt             the source of the wrapper's function, where it was given
///     launcher-BACKEND.txt     once it is compiled
///
/// Threads: any; each file is replaced as a whole.
class DebugFiles {
 public:
  /// An empty `root` means that nothing is written. A relative one is taken from the current directory, now.
  DebugFiles(const std::string& root, std::string function)
      : root_(root.empty() ? std::filesystem::path() : absolute_path(root)), function_(std::move(function)) {}

  /// Before the compilation, so that it is there if that fails.
  ///
  /// Errors: unavailable that names the file.
  Status write_program(const Program& program, const std::string& config) const;
  Status write_launcher(const Program& program, const Kernel& kernel) const;

 private:
  std::filesystem::path folder_of(const Program& program) const;
  std::filesystem::path root_;
  std::string function_;
};

/// What a wrapper remembers.
struct JitCore::State {
  explicit State(const JitOptions& options) : debug_files(options.debug_root_path, options.func_source) {}

  /// What `request` compiles.
  Result<JitJob> job_of(const JitCore& core, Runtime& runtime, const JitRequest& request) const;
  /// The kernel of `request`, from here or compiled.
  Result<Kernel> compile(const JitCore& core, const JitRequest& request);
  /// Later calls in this form find `kernel`.
  void remember(const JitCore& core, const JitRequest& request, const Kernel& kernel);

  FormTable forms;
  KernelMap kernels;
  DebugFiles debug_files;
  std::atomic<bool> told_of_full_table = false;
};

/// The runtime that a wrapper compiles with.
Result<Shared<Runtime>> runtime_of(const JitOptions& options);

/// `error` with the call that it belongs to.
Error in_call(Error error, const std::string& key);

/// `options` for a program that will run on `tensors`: where they leave it open, the device is that of the first tensor,
/// and the target "auto" is one of that kind of device.
CompileOptions placed(CompileOptions options, const Runtime& runtime, const Program& program,
                      std::span<const Tensor> tensors);

}  // namespace kmux

#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>

#include "kmux/compile.h"
#include "kmux/dispatch.h"
#include "kmux/jit_core.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"

#include "debug_files.h"
#include "kernel_map.h"

namespace kmux {

/// A program to compile, and the key of its kernel in the wrapper: what it is, and for which device.
struct JitJob {
  std::string key;
  CompileJob job;
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

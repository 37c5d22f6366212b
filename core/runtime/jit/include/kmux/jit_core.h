#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kmux/compile_wait.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/jit_form.h"
#include "kmux/jit_options.h"
#include "kmux/json.h"
#include "kmux/kernel.h"
#include "kmux/par_compile.h"
#include "kmux/tensor.h"

namespace kmux {

/// A call that needs a kernel.
struct JitRequest {
  CallForm form;  // of the arguments, for the memo
  std::string key;                             // the configuration as text, for messages
  std::function<Result<Program>()> elaborate;  // runs the wrapper's function
  std::vector<Tensor> tensors = {};            // eager
  CompileWait wait = {};                       // cancels a compilation that takes too long
};

/// A kernel that a wrapper made earlier, or none: a reference to the table's entry, or a copy if the entry was
/// replaced.
///
/// Lifetime: borrows the wrapper.
class FoundKernel {
 public:
  FoundKernel() = default;
  /// Refers to a kernel in the table.
  explicit FoundKernel(const Kernel& in_place) : in_place_(&in_place) {}
  /// Holds a copy of the kernel, or none.
  explicit FoundKernel(std::optional<Kernel> kernel) : itself_(std::move(kernel)) {}

  /// Returns true if a kernel was found.
  explicit operator bool() const { return in_place_ != nullptr || itself_.has_value(); }
  /// Returns the kernel, which must have been found.
  const Kernel& operator*() const { return in_place_ != nullptr ? *in_place_ : *itself_; }
  /// Accesses a member of the kernel, which must have been found.
  const Kernel* operator->() const { return &**this; }

 private:
  const Kernel* in_place_ = nullptr;
  std::optional<Kernel> itself_ = {};
};

/// The type-independent part of a wrapper: options, kernels, and the lookup of a call's kernel.
///
/// Threads: any.
class KMUX_API JitCore {
 public:
  /// Creates a core without kernels. `inferred` is the mode of the wrapper's function.
  JitCore(JitMode inferred, CompileOptions compile, JitOptions options);
  ~JitCore();
  JitCore(const JitCore&) = delete;
  JitCore& operator=(const JitCore&) = delete;

  /// Returns the mode of the wrapper's function.
  JitMode mode() const { return inferred_; }
  /// Returns the options that the wrapper was made with.
  const JitOptions& options() const { return options_; }
  /// Returns the options of its compilations.
  const CompileOptions& compile_options() const { return compile_; }
  /// Returns the mode, or an error if the options contradict it.
  Result<JitMode> initialize() const { return jit_mode(inferred_, compile_, options_); }

  /// Returns the kernel of an earlier call of that form, unless a header that it was compiled from has changed since.
  /// Allocates nothing. For a kernel without headers outside the program it neither locks nor makes system calls.
  FoundKernel find(const CallForm& form) const noexcept;

  /// Runs the function and validates its program. An exception that leaves the function is returned as an error.
  Result<Program> program(const JitRequest& request) const;
  /// Finds or compiles the kernel of `request`. Concurrent requests for one program join a single compilation as long
  /// as no header changes. A failure is not cached.
  Result<Kernel> compile(const JitRequest& request);
  /// Compiles many requests, as kmux::par_compile does: runs the functions one after the other, then compiles new
  /// programs in parallel. Other calls find each kernel once it is done, so functions and callbacks may call the
  /// wrapper.
  Result<std::vector<Kernel>> par_compile(std::span<const JitRequest> requests, const ParCompileOptions& how);
  /// As `par_compile`, but continues after a failure, as kmux::try_par_compile does: returns the kernel of each
  /// request, or its error.
  Result<std::vector<Result<Kernel>>> try_par_compile(std::span<const JitRequest> requests,
                                                      const ParCompileOptions& how);

 private:
  struct State;
  class Batch;
  JitMode inferred_;
  CompileOptions compile_;
  JitOptions options_;
  std::unique_ptr<State> state_;
};

/// Returns {"config": config, "tensors": ["float32[2, 3] on host", ...]} as canonical text.
KMUX_API std::string jit_key(std::span<const Tensor> tensors, Json config);

/// Launches `kernel` with the tensors of a call and returns the outputs. Allocates nothing if the kernel has no
/// outputs.
KMUX_API Result<Outputs> run_jit(const Kernel& kernel, std::span<const Arg> args, StreamRef stream);

}  // namespace kmux

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
  CompileWait wait = {};                       // how the caller gives up what takes too long
};

/// A kernel that a wrapper has made before, or none: in its place, or itself where it took another one's place.
///
/// Lifetime: borrows the wrapper.
class FoundKernel {
 public:
  FoundKernel() = default;
  /// A kernel in its place.
  explicit FoundKernel(const Kernel& in_place) : in_place_(&in_place) {}
  /// The kernel itself, or none.
  explicit FoundKernel(std::optional<Kernel> kernel) : itself_(std::move(kernel)) {}

  /// Was one found?
  explicit operator bool() const { return in_place_ != nullptr || itself_.has_value(); }
  /// The kernel; only if one was found.
  const Kernel& operator*() const { return in_place_ != nullptr ? *in_place_ : *itself_; }
  /// A member of it.
  const Kernel* operator->() const { return &**this; }

 private:
  const Kernel* in_place_ = nullptr;
  std::optional<Kernel> itself_ = {};
};

/// A wrapper without the types of its function: options, kernels, and how a call finds its own.
///
/// Threads: any.
class KMUX_API JitCore {
 public:
  /// Without kernels yet. `inferred` is the mode of the wrapper's function.
  JitCore(JitMode inferred, JitOptions options);
  ~JitCore();
  JitCore(const JitCore&) = delete;
  JitCore& operator=(const JitCore&) = delete;

  /// The mode of the wrapper's function.
  JitMode mode() const { return inferred_; }
  /// What it was made with.
  const JitOptions& options() const { return options_; }
  /// The mode, if the options agree.
  Result<JitMode> initialize() const { return jit_mode(inferred_, options_); }

  /// The kernel of a call that was made before, unless a header that it was compiled from has changed since. Allocates
  /// nothing; of a kernel without headers outside the program it neither locks nor calls the system.
  FoundKernel find(const CallForm& form) const noexcept;

  /// Runs the function and validates what it made; an exception that leaves it is an error.
  Result<Program> program(const JitRequest& request) const;
  /// Finds or compiles. Threads that ask for the same program at the same time wait for one compilation, as long as no
  /// header changes; one that fails is not remembered.
  Result<Kernel> compile(const JitRequest& request);
  /// Compiles many requests, as kmux::par_compile does: functions run one after the other, then new programs compile in parallel.
  /// Other calls find each kernel once it is done, so functions and callbacks may call the wrapper.
  Result<std::vector<Kernel>> par_compile(std::span<const JitRequest> requests, const ParCompileOptions& how);
  /// The same as kmux::try_par_compile does: the kernel of each request, or the error.
  Result<std::vector<Result<Kernel>>> try_par_compile(std::span<const JitRequest> requests,
                                                      const ParCompileOptions& how);

 private:
  struct State;
  class Batch;
  JitMode inferred_;
  JitOptions options_;
  std::unique_ptr<State> state_;
};

/// {"config": config, "tensors": ["float32[2, 3] on host", ...]} as canonical text.
KMUX_API std::string jit_key(std::span<const Tensor> tensors, Json config);

/// Launches `kernel` with the tensors of a call, and returns what it allocated. Allocates nothing if that is nothing.
KMUX_API Result<Outputs> run_jit(const Kernel& kernel, std::span<const Arg> args, StreamRef stream);

}  // namespace kmux

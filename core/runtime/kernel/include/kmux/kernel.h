#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kmux/arg.h"
#include "kmux/device.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/function_ref.h"
#include "kmux/resolver.h"
#include "kmux/shared.h"
#include "kmux/target.h"
#include "kmux/tensor.h"
#include "kmux/tune.h"

namespace kmux {

struct AwaitOptions;

/// The tensors that a call returned, in the order of the signature's outputs (or of out_idx).
class KMUX_API Outputs {
 public:
  /// Holds `tensors`, in that order.
  explicit Outputs(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {}
  /// Returns the number of outputs.
  std::size_t size() const { return tensors_.size(); }
  /// Returns the output at `index`, which must be below size() and is not checked.
  const Tensor& operator[](std::size_t index) const { return tensors_[index]; }
  /// Returns an iterator to the first output.
  auto begin() const { return tensors_.begin(); }
  /// Returns an iterator past the last output.
  auto end() const { return tensors_.end(); }

 private:
  std::vector<Tensor> tensors_;
};

/// Returns the tensor of a call that returned exactly one, as in `kernel(a, b).and_then(single)`.
///
/// Errors: invalid_argument if there are none or several.
KMUX_API Result<Tensor> single(const Outputs& outputs);

/// A callback that returns new contiguous memory for an output of `shape` and `dtype`, on `device`, for work on
/// `stream`.
using OutputMemory =
    FunctionRef<Result<Tensor>(std::vector<std::int64_t> shape, DType dtype, const Device& device, StreamRef stream)>;

/// A compiled program. A call runs on the device of its tensors. It must be the device that the kernel was compiled
/// for, or another of the same backend and architecture.
///
/// Threads:  thread-safe; every function may be called concurrently.
/// Lifetime: a cheap shared handle; destroying the last one unloads the artifact. A moved-from handle stays valid: no
///           handle is empty.
class KMUX_API Kernel {
 public:
  /// Shares the kernel of `other`.
  Kernel(const Kernel& other) = default;
  /// Shares the kernel of `other`, which keeps it.
  Kernel(Kernel&& other) noexcept { impl_ = other.impl_; }
  /// Shares the kernel of `other`.
  Kernel& operator=(const Kernel& other) = default;
  /// Shares the kernel of `other`, which keeps it.
  Kernel& operator=(Kernel&& other) noexcept { return *this = std::as_const(other); }
  ~Kernel() = default;

  /// Allocates the outputs on the call's device, in the order of its stream, launches, and returns them.
  ///
  /// The arguments must be the parameters that are not outputs, in order.
  ///
  /// Errors: as `launch`.
  template <class... Args>
  Result<Outputs> operator()(const Args&... inputs) const {
    const std::array<Arg, sizeof...(Args)> args{Arg(inputs)...};
    return call(args);
  }
  /// As the call operator, with arguments in a span and on `stream`.
  Result<Outputs> call(std::span<const Arg> inputs, StreamRef stream = {}) const;
  /// As `call`, with outputs in memory that the caller provides, for example from a framework's pool.
  Result<Outputs> call(std::span<const Arg> inputs, StreamRef stream, const OutputMemory& memory) const;

  /// Launches with all parameters given, outputs included, in order. Allocates nothing.
  ///
  /// Errors: invalid_argument that names kernel, parameter, expected and actual value; launch_failed from the backend.
  Status launch(std::span<const Arg> all_params, StreamRef stream = {}) const;
  /// As above, with the arguments in braces.
  Status launch(std::initializer_list<Arg> all_params, StreamRef stream = {}) const;

  /// Sets the constant `name` of the program (docs/dispatch-ir.md, "Constants") for later launches on `stream`. The
  /// caller must order other streams, as for any memory. Sets it on one device: that of `value` or, for a host value,
  /// `device` (an ordinal; default: the kernel's own). A host value has been read when this returns.
  ///
  /// Shapes:  as declared, contiguous.
  /// Errors:  invalid_argument for an unknown name, a type, shape or size that differs from the code's, a captured
  ///          stream, or memory elsewhere; the errors of the first launch on the device; unsupported if the backend
  ///          cannot set constants.
  /// Threads: any. Every copy of this handle launches with the value; another `compile` of the program returns a
  ///          separate kernel.
  Status set_constant(std::string_view name, const Tensor& value, StreamRef stream = {},
                      std::optional<int> device = {}) const;

  /// Does the one-time work of the first launch on `device` (an ordinal; default: the kernel's own) now.
  Status warm(std::optional<int> device = {}) const;

  /// Blocks until background compilation and tuning are done and the kernel runs its final code: the backend's best
  /// tier, or the policy's choice. Returns immediately if none is pending. Gives that work precedence over background
  /// work that no caller waits for.
  ///
  /// Errors: the error of the compilation; the kernel then keeps its present code.
  Status await_best() const;

  /// As above, within the limits of `wait`, which `kmux/await_options.h` declares.
  ///
  /// Errors: timed_out and cancelled as `wait` requests; otherwise as above.
  Status await_best(const AwaitOptions& wait) const;

  /// Measures every candidate with calls like this one, caches the result, and launches the winner from then on. Runs
  /// on separate memory of the same size: the tensors in `all_params` are neither read nor written.
  ///
  /// Units:  takes about half a second, plus the time to compile the candidates.
  /// Errors: invalid_argument unless the policy is "measured"; unsupported for pointer parameters; if no candidate can be
  ///         timed, the first one's error.
  Result<Tuning> tune(std::span<const Arg> all_params, const TuneOptions& options = {}) const;
  /// As above, with the arguments in braces.
  Result<Tuning> tune(std::initializer_list<Arg> all_params, const TuneOptions& options = {}) const;

  /// Returns the name of the program, as messages give it.
  const std::string& name() const;
  /// Returns the backend whose code is launched now.
  const std::string& backend() const;
  /// Returns the index, in Program::variants, of the variant that is launched now.
  std::size_t variant() const;
  /// Returns true if this kernel keeps plugin `backend` loaded: its code is running, has run, or is a tuning candidate.
  bool uses(std::string_view backend) const;
  /// Returns the target that the code launched now was compiled for.
  const Target& target() const;
  /// Returns the device that the kernel was compiled for.
  const Device& device() const;
  /// Returns the constants of the program.
  const std::vector<Constant>& constants() const;
  /// Returns the signature, with the outputs that out_idx names.
  const Signature& signature() const;
  /// Returns the resolution: how the backend was chosen, and among which.
  const Resolution& resolution() const;
  /// Returns the sources of the variant that is launched now, one after another.
  std::string source() const;
  /// Returns the tier of the code that is launched now ("fast", "full"); empty if the backend has none.
  const std::string& tier() const;
  /// Returns the launcher of the code that is launched now.
  const std::string& launcher() const;
  /// Returns true if no header (file outside the program) that this kernel was compiled from has changed since. If
  /// false, the next compile() builds a new kernel. Costs about a microsecond per header.
  bool is_up_to_date() const;

  /// Returns true if its code keeps values between launches: variables that it writes, or constants. Each compilation
  /// then returns a separate kernel, and copies of this handle are one.
  bool has_state() const;
  /// Returns every file of the kernel: sources, headers, the launcher and the parts of the artifact.
  std::vector<File> files() const;

  struct Impl;
  /// Makes a handle to `impl`; for `make_kernel`.
  explicit Kernel(Shared<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  Shared<const Impl> impl_;
};

}  // namespace kmux

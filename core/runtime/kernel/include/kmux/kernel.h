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
  /// The outputs `tensors`, in that order.
  explicit Outputs(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {}
  /// How many outputs there are.
  std::size_t size() const { return tensors_.size(); }
  /// The output at `index`, which is not checked.
  const Tensor& operator[](std::size_t index) const { return tensors_[index]; }
  /// Iterator to the first output.
  auto begin() const { return tensors_.begin(); }
  /// Iterator past the last output.
  auto end() const { return tensors_.end(); }

 private:
  std::vector<Tensor> tensors_;
};

/// The tensor of a call that returned exactly one, as in `kernel(a, b).and_then(single)`.
///
/// Errors: invalid_argument if there are none or several.
KMUX_API Result<Tensor> single(const Outputs& outputs);

/// Gives new contiguous memory for an output: of that shape and dtype, on that device, for work on that stream.
using OutputMemory =
    FunctionRef<Result<Tensor>(std::vector<std::int64_t> shape, DType dtype, const Device& device, StreamRef stream)>;

/// A compiled program that can be called. A call runs on the device that its tensors are on: the one that the kernel was
/// compiled for, or another of the same backend and architecture.
///
/// Threads:  every function may be called from any thread, concurrently.
/// Lifetime: a cheap shared handle; the last one unloads the artifact. One that was moved from is a copy: none is without a kernel.
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

  /// Allocates the outputs on the kernel's device, in the order of the call's stream, launches, and returns them.
  ///
  /// The arguments are the parameters that are not outputs, in order.
  /// Errors: as `launch`.
  template <class... Args>
  Result<Outputs> operator()(const Args&... inputs) const {
    const std::array<Arg, sizeof...(Args)> args{Arg(inputs)...};
    return call(args);
  }
  /// As the call operator, with arguments in a span and on `stream`.
  Result<Outputs> call(std::span<const Arg> inputs, StreamRef stream = {}) const;
  /// As `call`, with outputs that lie in memory of the caller's: a framework's own pool, for example.
  Result<Outputs> call(std::span<const Arg> inputs, StreamRef stream, const OutputMemory& memory) const;

  /// Launches with all parameters given, outputs included, in order. Allocates nothing.
  ///
  /// Errors: invalid_argument that names kernel, parameter, expected and actual value; launch_failed from the backend.
  Status launch(std::span<const Arg> all_params, StreamRef stream = {}) const;
  /// The same with the arguments in braces.
  Status launch(std::initializer_list<Arg> all_params, StreamRef stream = {}) const;

  /// Sets the constant `name` of the program (docs/dispatch-ir.md, "Constants") for the launches that come after it on `stream`; other
  /// streams are ordered as for any memory. It is set on one device: the one that `value` is on, or for a value on the host `device`
  /// (an ordinal; by default the kernel's own). A value on the host has been read when this returns.
  ///
  /// Shapes:  as declared, contiguous.
  /// Errors:  invalid_argument for an unknown name, another type, shape or size than the code has, a stream that is captured, and
  ///          memory elsewhere; what the first launch on the device would report; unsupported where the backend cannot do it.
  /// Threads: any. Every copy of this handle launches with the value; another `compile` of the program makes a kernel of its own.
  Status set_constant(std::string_view name, const Tensor& value, StreamRef stream = {},
                      std::optional<int> device = {}) const;

  /// Does now what the first launch on `device` (an ordinal; by default the kernel's own) would do once.
  Status warm(std::optional<int> device = {}) const;

  /// Waits until what is compiled or measured in the background has replaced what the kernel began with, or need not: the
  /// backend's best tier, or what the policy prefers. It is compiled before what no caller waits for.
  ///
  /// Errors: the error of the compilation. The kernel keeps its present code.
  Status await_best() const;

  /// The same within limits: `kmux/await_options.h` declares them.
  ///
  /// Errors: timed_out and cancelled, as `wait` says; otherwise as above.
  Status await_best(const AwaitOptions& wait) const;

  /// Measures every candidate with calls like this one, keeps the result, and launches the winner from then on. Runs on
  /// memory of its own, as large as that of `all_params`: the tensors given are neither read nor written.
  ///
  /// Units:  takes about half a second, and the time to compile the candidates.
  /// Errors: invalid_argument unless the policy is "measured"; unsupported for pointer parameters; if no candidate can be
  ///         timed, the first one's error.
  Result<Tuning> tune(std::span<const Arg> all_params, const TuneOptions& options = {}) const;
  /// The same with the arguments in braces.
  Result<Tuning> tune(std::initializer_list<Arg> all_params, const TuneOptions& options = {}) const;

  /// The name of the program, as messages give it.
  const std::string& name() const;
  /// The backend whose code is launched now.
  const std::string& backend() const;
  /// The index, in Program::variants, of the variant that is launched now.
  std::size_t variant() const;
  /// Does it hold the plugin of that name: for what is launched, was launched, or would be measured?
  bool uses(std::string_view backend) const;
  /// The target that the code launched now was compiled for.
  const Target& target() const;
  /// The device that the kernel was compiled for.
  const Device& device() const;
  /// The constants of the program.
  const std::vector<Constant>& constants() const;
  /// The signature, with the outputs that out_idx names.
  const Signature& signature() const;
  /// How the backend was chosen, and among which.
  const Resolution& resolution() const;
  /// The sources of the variant that is launched now, one after another.
  std::string source() const;
  /// The tier of the code that is launched now ("fast", "full"); empty if the backend has none.
  const std::string& tier() const;
  /// The launcher that the backend made.
  const std::string& launcher() const;
  /// Are the files outside the program that the kernel was compiled from, its headers, as they were then? If not, `compile`
  /// gives another kernel. Costs about a microsecond a header, and nothing where there are none.
  bool is_up_to_date() const;
  /// Every file of the kernel: sources, headers, the launcher and the parts of the artifact.
  std::vector<File> files() const;

  struct Impl;
  /// A handle to `impl`; for `make_kernel`.
  explicit Kernel(Shared<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  Shared<const Impl> impl_;
};

}  // namespace kmux

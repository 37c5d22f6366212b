#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kmux/arg.h"
#include "kmux/bench/binding.h"
#include "kmux/device.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/kernel.h"
#include "kmux/tensor.h"

namespace kmux::bench {

/// The sources of a run's tensors: --in NAME=FILE.npy or NAME=random:SEED, zeros, ones, arange; "*" stands for all
/// unnamed ones. NAME=null is the null pointer, for an address or a nullable tensor.
class Inputs {
 public:
  /// Errors: invalid_argument for an unknown or repeated name, an output, an invalid null, or random: without a seed.
  static Result<Inputs> parse(const Program& program, const std::vector<std::string>& assignments);

  /// Returns true if an assignment covers the tensor of parameter `name`.
  bool gives(const std::string& name) const { return source_of(name) != nullptr; }
  /// Returns true if an assignment gives null for the address or nullable tensor `name`.
  bool gives_null(const std::string& name) const;
  /// Assigns random numbers to every required tensor without an assignment, each with its own seed: its position among
  /// the required tensors. Does nothing if any input is a file: a caller with own data wants a result for that data.
  void make_up();
  /// Returns the assignments that `make_up` added, in signature order.
  const std::vector<std::string>& made_up() const { return made_up_; }
  /// Reads the files and lets `binding` learn from their shapes.
  ///
  /// Errors: of reading; as for `Binding::learn`.
  Status load(Binding& binding);
  /// Checks that every input is given, and that every symbol and scalar of a call has a value.
  ///
  /// Errors: invalid_argument that names the first missing input, or all names without a value, and the options to set
  ///         them; also for a negative extent.
  Status check(const Binding& binding) const;
  /// Returns the host tensor for `param`, from its file or generated in the shape of `binding`.
  ///
  /// Errors: invalid_argument if no --in covers it.
  Result<Tensor> tensor(const Param& param, const Binding& binding) const;

 private:
  explicit Inputs(const Program& program) : program_(&program) {}
  const std::string* source_of(const std::string& name) const;
  /// Returns the extents of a generated tensor; none for a tensor from a file and other parameters.
  std::span<const Expr> made_extents(const Param& param) const;
  Status check_extents(const Binding& binding) const;
  std::vector<std::string> names_without(const Binding& binding) const;
  const Program* program_;
  std::map<std::string, std::string, std::less<>> sources_;
  std::map<std::string, Tensor, std::less<>> files_;
  std::vector<std::string> made_up_ = {};
};

/// The values of a program's constants: --constant NAME=FILE.npy, random:SEED, zeros, ones, arange, or numbers in
/// row-major order. Examples: "0.5", "1,2,3,4".
class ConstantValues {
 public:
  /// Creates an empty set.
  ConstantValues() = default;
  /// Reads and generates all values.
  ///
  /// Errors: invalid_argument for an unknown or repeated name, a dtype, shape or count that differs from the
  ///         declaration, and numbers that the dtype cannot represent; of reading files.
  static Result<ConstantValues> parse(const Program& program, const std::vector<std::string>& assignments);

  /// Assigns random numbers to every required constant without an assignment, each with its own seed.
  ///
  /// Errors: unsupported for elements that share bytes.
  Status make_up();
  /// Returns the assignments that `make_up` added, in the order of the program.
  const std::vector<std::string>& made_up() const { return made_up_; }
  /// Sets all of them in the kernel, on its device.
  ///
  /// Errors: as for `Kernel::set_constant`.
  Status set(const Kernel& kernel) const;

 private:
  explicit ConstantValues(const Program& program) : program_(&program) {}
  Status add(const std::string& assignment);
  bool gives(const std::string& name) const;
  const Program* program_ = nullptr;
  std::vector<std::pair<std::string, Tensor>> values_;
  std::vector<std::string> made_up_ = {};
};

/// All arguments of a program's call on one device, outputs included, and the values of its constants.
///
/// Lifetime: owns the tensors; the arguments refer to them.
class CallArguments {
 public:
  /// Allocates the tensors: inputs from `inputs`, outputs zero.
  ///
  /// Errors: those of `Inputs::tensor` and of the device; unsupported for a raw pointer other than null.
  static Result<CallArguments> make(const Program& program, const Inputs& inputs, const Binding& binding,
                                    const Device& device, const ConstantValues& constants = {});
  /// Sets the constants of a kernel of the program.
  ///
  /// Errors: as for `Kernel::set_constant`.
  Status set_constants(const Kernel& kernel) const { return constants_.set(kernel); }
  /// Returns one argument a parameter, in signature order.
  std::span<const Arg> args() const { return args_; }
  /// Returns one tensor a parameter; an empty handle for scalars and null tensors.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  /// Returns copies of the tensors on the host.
  Result<std::vector<Tensor>> on_host() const;
  /// Restores the initial contents of every tensor. Blocks until the device is done.
  Status refill();

 private:
  CallArguments(Device device, ConstantValues constants)
      : device_(std::move(device)), constants_(std::move(constants)) {}
  Status add(const Program& program, const Param& param, const Inputs& inputs, const Binding& binding);
  Status add_buffer(const Program& program, const Param& param, const Inputs& inputs, const Binding& binding);

  Device device_;
  ConstantValues constants_;
  std::vector<Tensor> tensors_;
  std::vector<Tensor> first_contents_;  // on the host, one a tensor; an empty handle means zeros
  std::vector<Arg> args_;
};

}  // namespace kmux::bench

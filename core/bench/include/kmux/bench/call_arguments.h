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

/// Where the tensors of a run come from: --in NAME=FILE.npy or NAME=random:SEED, zeros, ones, arange; "*" stands for all
/// that are not named. NAME=null is the null pointer, of an address or a nullable tensor.
class Inputs {
 public:
  /// Errors: invalid_argument for an unknown or repeated name, an output, or random: without a seed.
  static Result<Inputs> parse(const Program& program, const std::vector<std::string>& assignments);

  /// Does an assignment give the tensor of parameter `name`?
  bool gives(const std::string& name) const { return source_of(name) != nullptr; }
  /// Returns true if an assignment gives null for the address or the nullable tensor `name`.
  bool gives_null(const std::string& name) const;
  /// Gives every tensor that has to be given, and that no assignment gives, random numbers of a seed of its own: its place
  /// among them. Nothing beside a file: who has data of their own wants a result of it.
  void make_up();
  /// The assignments that `make_up` added, in the order of the signature.
  const std::vector<std::string>& made_up() const { return made_up_; }
  /// Reads the files, so that `binding` learns from their shapes.
  ///
  /// Errors: of reading; as `Binding::learn`.
  Status load(Binding& binding);
  /// That every input is given, and that every symbol and scalar of a call with them has a value.
  ///
  /// Errors: invalid_argument that names the first input, or all of those without a value, and the options that give them; and
  ///         for a negative extent.
  Status check(const Binding& binding) const;
  /// The host tensor for `param`; made, if it is not from a file, in the shape of `binding`.
  ///
  /// Errors: invalid_argument if no --in names it.
  Result<Tensor> tensor(const Param& param, const Binding& binding) const;

 private:
  explicit Inputs(const Program& program) : program_(&program) {}
  const std::string* source_of(const std::string& name) const;
  /// The extents of a tensor that is made and not read; none of any other parameter.
  std::span<const Expr> made_extents(const Param& param) const;
  Status check_extents(const Binding& binding) const;
  std::vector<std::string> names_without(const Binding& binding) const;
  const Program* program_;
  std::map<std::string, std::string, std::less<>> sources_;
  std::map<std::string, Tensor, std::less<>> files_;
  std::vector<std::string> made_up_ = {};
};

/// The values of a program's constants: --constant NAME=FILE.npy, random:SEED, zeros, ones, arange, or numbers in row-major
/// order ("0.5", "1,2,3,4").
class ConstantValues {
 public:
  /// None.
  ConstantValues() = default;
  /// Reads and makes all values.
  ///
  /// Errors: invalid_argument for an unknown or repeated name, another dtype, shape or count than is declared, and numbers that
  ///         the dtype has not; of reading files.
  static Result<ConstantValues> parse(const Program& program, const std::vector<std::string>& assignments);

  /// Gives every constant that has to be set, and that no assignment sets, random numbers of a seed of its own.
  ///
  /// Errors: unsupported for elements that share bytes.
  Status make_up();
  /// The assignments that `make_up` added, in the order of the program.
  const std::vector<std::string>& made_up() const { return made_up_; }
  /// Sets all of them, on the kernel's device.
  ///
  /// Errors: as `Kernel::set_constant`.
  Status set(const Kernel& kernel) const;

 private:
  explicit ConstantValues(const Program& program) : program_(&program) {}
  Status add(const std::string& assignment);
  bool gives(const std::string& name) const;
  const Program* program_ = nullptr;
  std::vector<std::pair<std::string, Tensor>> values_;
  std::vector<std::string> made_up_ = {};
};

/// All arguments of a call of a program, outputs included, on one device, and the values of its constants.
///
/// Lifetime: owns the tensors; the arguments refer to them.
class CallArguments {
 public:
  /// Inputs as in `inputs`, outputs zero.
  ///
  /// Errors: those of `Inputs::tensor` and of the device; unsupported for a raw pointer.
  static Result<CallArguments> make(const Program& program, const Inputs& inputs, const Binding& binding,
                                    const Device& device, const ConstantValues& constants = {});
  /// Sets the constants of a kernel of the program.
  ///
  /// Errors: as `Kernel::set_constant`.
  Status set_constants(const Kernel& kernel) const { return constants_.set(kernel); }
  /// One a parameter, in the order of the signature.
  std::span<const Arg> args() const { return args_; }
  /// One a parameter; an empty handle for scalars and null tensors.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  /// Copies of the tensors on the host.
  Result<std::vector<Tensor>> on_host() const;
  /// Gives every tensor what it held at first, whatever calls have written since. Waits for the device.
  Status refill();

 private:
  CallArguments(Device device, ConstantValues constants)
      : device_(std::move(device)), constants_(std::move(constants)) {}
  Status add(const Program& program, const Param& param, const Inputs& inputs, const Binding& binding);
  Status add_buffer(const Program& program, const Param& param, const Inputs& inputs, const Binding& binding);

  Device device_;
  ConstantValues constants_;
  std::vector<Tensor> tensors_;
  std::vector<Tensor> first_contents_;  // on the host, one a tensor; an empty handle stands for zeros
  std::vector<Arg> args_;
};

}  // namespace kmux::bench

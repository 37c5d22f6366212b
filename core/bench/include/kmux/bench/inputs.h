#pragma once

#include <map>
#include <string>
#include <vector>

#include "kmux/bench/binding.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/tensor.h"

namespace kmux::bench {

/// Where the tensors of a run come from: --in NAME=FILE.npy or NAME=random:SEED, zeros, ones, arange; "*" stands for all
/// that are not named.
class Inputs {
 public:
  /// Errors: invalid_argument for an unknown or repeated name, an output, or random: without a seed.
  static Result<Inputs> parse(const Program& program, const std::vector<std::string>& assignments);

  /// Does an assignment give the tensor of parameter `name`?
  bool gives(const std::string& name) const { return source_of(name) != nullptr; }
  /// Reads the files, so that `binding` learns from their shapes.
  ///
  /// Errors: of reading; as `Binding::learn`.
  Status load(Binding& binding);
  /// The host tensor for `param`; made, if it is not from a file, in the shape that `binding` says.
  ///
  /// Errors: invalid_argument if no --in names it.
  Result<Tensor> tensor(const Param& param, const Binding& binding) const;

 private:
  explicit Inputs(const Program& program) : program_(&program) {}
  const std::string* source_of(const std::string& name) const;
  const Program* program_;
  std::map<std::string, std::string, std::less<>> sources_;
  std::map<std::string, Tensor, std::less<>> files_;
};

}  // namespace kmux::bench

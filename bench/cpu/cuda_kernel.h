#pragma once

#include <string>
#include <vector>

#include "kmux/compile_options.h"
#include "kmux/dispatch.h"
#include "kmux/kernel.h"
#include "kmux/tensor.h"

#include "memory.h"
#include "problem.h"

namespace kmux::bench::spmd {

/// The kernel of a problem as a program; `note` is appended to its source.
Program program_of(const Problem& problem, const std::string& note = {});

/// How the bars compile: backend cpu, from no cache.
CompileOptions cpu_options(Options options = {{"tier", "full"}});

/// The kernel of a problem, compiled by kmux.
///
/// Lifetime: borrows the memory.
class CudaKernel {
 public:
  CudaKernel(const Problem& problem, const Memory& memory, const std::string& note = {},
             const CompileOptions& options = cpu_options());
  /// Throws if the launch fails.
  void operator()() const;
  /// Waits for what is compiled in the background.
  void await_best() const { kernel_.await_best().value(); }

 private:
  Kernel kernel_;
  std::vector<Tensor> tensors_;
  std::vector<Arg> arguments_;
};

}  // namespace kmux::bench::spmd

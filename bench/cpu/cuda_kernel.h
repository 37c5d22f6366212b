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

/// Returns the kernel of a problem as a program; `note` is appended to its source.
Program program_of(const Problem& problem, const std::string& note = {});

/// Returns the compile options of the bars: backend cpu, without a cache.
CompileOptions cpu_options(Options options = {{"tier", "full"}});

/// The kernel of a problem, compiled by kmux.
///
/// Lifetime: the memory must outlive it.
class CudaKernel {
 public:
  CudaKernel(const Problem& problem, const Memory& memory, const std::string& note = {},
             const CompileOptions& options = cpu_options());
  /// Throws if the launch fails.
  void operator()() const;
  /// Blocks until background compilation is done.
  void await_best() const { kernel_.await_best().value(); }

 private:
  Kernel kernel_;
  std::vector<Tensor> tensors_;
  std::vector<Arg> arguments_;
};

}  // namespace kmux::bench::spmd

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kmux/error.h"

#include "llvm/IR/Module.h"
#include "simt/frontend/job.h"

namespace kmux::simt {

/// A whole job as one module.
struct LinkedModule {
  std::unique_ptr<llvm::Module> module;
  std::vector<Error> on_fibers;  // as CompiledObject has them
  std::vector<std::string> variables;  // likewise
};

/// Lowers the kernels of the linked units; returns the reason for each that could not be vectorized.
using LowerKernels = std::function<Result<std::vector<Error>>(llvm::Module& units)>;

/// Links the modules of the units and of the launcher. Afterwards only the entry and the constants of `job` are
/// visible. `lower` makes kernels that are written for one
/// thread of a GPU functions that run a grid.
///
/// The launcher may pass an integer for a floating-point parameter of the same width (unsigned short for _Float16): its
/// bits are passed. The same holds for parameters that are records. A bool may be taken as a byte.
/// Errors: compile_failed for a kernel that is not defined, and if two units define the same function; invalid_argument
///         for a kernel of another type than the launcher calls it with.
Result<LinkedModule> link_modules(std::vector<std::unique_ptr<llvm::Module>> units,
                                  std::unique_ptr<llvm::Module> launcher, const CompileJob& job, const std::string& log,
                                  const LowerKernels& lower);

}  // namespace kmux::simt

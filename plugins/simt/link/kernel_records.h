#pragma once

#include "llvm/IR/Module.h"
#include "simt/frontend/job.h"

namespace kmux::simt {

/// Makes the kernels of `job` that run on grids take each structure and tensor map of a launch by its address, instead
/// of by the calling convention. Each thread has a copy of a structure that its kernel may write.
void take_structures(llvm::Module& units, const CompileJob& job);

}  // namespace kmux::simt

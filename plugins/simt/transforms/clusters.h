#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace kmux::simt {

/// Gives each kernel whose source requires a cluster (__cluster_dims__) an attribute with its extents.
void note_clusters(llvm::Module& module);

/// Lets `start`, by which launchers start a kernel, run in the cluster that the attribute requires. Without one nothing
/// changes.
void apply_cluster(llvm::Function& start);

}  // namespace kmux::simt

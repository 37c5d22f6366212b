#pragma once

#include <memory>
#include <string>
#include <vector>

#include "world.h"

namespace kmux::fake_cuda {

/// A node with the state at the time that it was added to a stream.
struct Operation {
  Node node;
  int device = 0;
  CUstream stream = nullptr;
  std::vector<Use> uses = {};
  void* const* args = nullptr;  // the caller's, for a kernel whose parameter sizes are unknown
};

/// Records the memory that `node` uses. The caller must hold the world's lock.
Operation prepare(Node node, CUstream stream, int device);

/// Executes the operation and reports invalid uses. The caller must not hold the world's lock.
void execute(const Operation& operation);

}  // namespace kmux::fake_cuda

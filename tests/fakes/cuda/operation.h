#pragma once

#include <memory>
#include <string>
#include <vector>

#include "world.h"

namespace kmux::fake_cuda {

/// A node with what was true of it when it was given to a stream.
struct Operation {
  Node node;
  int device = 0;
  CUstream stream = nullptr;
  std::vector<Use> uses = {};
  void* const* args = nullptr;  // of the caller, for a kernel whose parameters' sizes are not known
};

/// Takes down what `node` uses. To be called with the world locked.
Operation prepare(Node node, CUstream stream, int device);

/// Does what the operation says, and reports what it uses that is not there. To be called with the world unlocked.
void execute(const Operation& operation);

}  // namespace kmux::fake_cuda

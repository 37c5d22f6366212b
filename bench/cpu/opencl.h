#pragma once

#include <string>
#include <vector>

#include "memory.h"
#include "problem.h"

namespace kmux::bench::spmd {

/// Returns why PoCL cannot be measured here; empty if it can.
std::string missing_pocl();

/// The kernel of a problem in OpenCL C, built by PoCL, on the shared memory of the problem. Throws if PoCL fails.
///
/// Lifetime: the memory must outlive it.
class OpenClKernel {
 public:
  /// `note` is appended to the source.
  OpenClKernel(const Problem& problem, const Memory& memory, const std::string& note = {});
  ~OpenClKernel();
  OpenClKernel(const OpenClKernel&) = delete;
  OpenClKernel& operator=(const OpenClKernel&) = delete;
  /// Launches it and waits.
  void operator()() const;

 private:
  void* program_;
  void* kernel_;
  std::vector<void*> buffers_;
  std::array<std::size_t, 3> threads_;  // of the grid
  std::array<std::size_t, 3> group_;
};

}  // namespace kmux::bench::spmd

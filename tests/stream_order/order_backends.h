#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "order_kernels.h"
#include "sizes.h"

namespace kmux::order {

/// A case that runs once for each backend with asynchronous streams, over a fake device that executes kernels.
class OrderBackends : public ::testing::TestWithParam<const char*> {
 protected:
  /// Compiles the kernels; skips if the backend has no compiler.
  void SetUp() override;
  void TearDown() override;

  /// Returns the driver that all cases share: HIP over CUDA keeps its contexts retained.
  static FakeCuda& driver();

  FakeCuda& cuda = driver();
  Shared<Runtime> runtime;
  std::unique_ptr<OrderKernels> kernels;
};

/// Excludes nvcc from the small size, since it takes a second for a kernel.
inline std::vector<const char*> backends_of_size() {
  return of_size<std::vector<const char*>>({"nvrtc", "hip"}, {"nvrtc", "cuda", "hip"});
}

#define KMUX_ON_EVERY_BACKEND(Group)                                           \
  class Group : public OrderBackends {};                                       \
  INSTANTIATE_TEST_SUITE_P(On, Group, ::testing::ValuesIn(backends_of_size()), \
                           [](const auto& backend) { return std::string(backend.param); })

}  // namespace kmux::order

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "order_kernels.h"
#include "sizes.h"

namespace kmux::order {

/// A case that runs once for each backend whose streams run by themselves, over a fake device that executes kernels.
class OrderBackends : public ::testing::TestWithParam<const char*> {
 protected:
  /// Compiles the kernels; skips where the backend has no compiler.
  void SetUp() override;
  void TearDown() override;

  /// One for all cases: HIP over CUDA keeps its contexts for good.
  static FakeCuda& driver();

  FakeCuda& cuda = driver();
  Shared<Runtime> runtime;
  std::unique_ptr<OrderKernels> kernels;
};

/// In the small size not nvcc's, which takes a second for a kernel.
inline std::vector<const char*> backends_of_size() {
  return of_size<std::vector<const char*>>({"nvrtc", "hip"}, {"nvrtc", "cuda", "hip"});
}

#define KMUX_ON_EVERY_BACKEND(Group)                                           \
  class Group : public OrderBackends {};                                       \
  INSTANTIATE_TEST_SUITE_P(On, Group, ::testing::ValuesIn(backends_of_size()), \
                           [](const auto& backend) { return std::string(backend.param); })

}  // namespace kmux::order

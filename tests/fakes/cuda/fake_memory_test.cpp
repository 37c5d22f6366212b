#include "opened_fake.h"

namespace kmux::fake_cuda {
namespace {

class FakeMemoryTest : public OpenedFake {
 protected:
  FakeMemoryTest() { EXPECT_EQ(cu.device_pool(&pool, 0), CUDA_SUCCESS); }
  CUdeviceptr allocate(std::size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cu.allocate(&address, bytes, pool, nullptr), CUDA_SUCCESS);
    return address;
  }
  CUmemoryPool pool = nullptr;
};

TEST_F(FakeMemoryTest, CopiesAndFillsBytes) {
  const CUdeviceptr a = allocate(16);
  const CUdeviceptr b = allocate(16);
  EXPECT_EQ(a % 256, 0U);
  const char text[] = "fifteen letters";
  char back[16] = {};
  EXPECT_EQ(cu.copy_to_device(a, text, 16, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.memset8(a, 'F', 1, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.copy(b, a, 16, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.copy_to_host(back, b, 16, nullptr), CUDA_SUCCESS);
  EXPECT_STREQ(back, "Fifteen letters");
  EXPECT_EQ(cu.free(a, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.free(a, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fake.live().allocations, 1U);
}

TEST_F(FakeMemoryTest, RejectsAccessOutsideAllocations) {
  const CUdeviceptr a = allocate(16);
  char host[32] = {};
  EXPECT_EQ(cu.copy_to_device(a, host, 17, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.memset8(reinterpret_cast<std::uintptr_t>(host), 1, 4, nullptr), CUDA_ERROR_INVALID_VALUE);
  fake.adopt(host, sizeof host);
  EXPECT_EQ(cu.memset8(reinterpret_cast<std::uintptr_t>(host), 1, 4, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(host[3], 1);
  EXPECT_EQ(host[4], 0);
}

TEST_F(FakeMemoryTest, IsUnchangedDuringCapture) {
  const CUdeviceptr a = allocate(1);
  EXPECT_EQ(cu.memset8(a, 1, 1, nullptr), CUDA_SUCCESS);
  fake.set_capture(nullptr, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(cu.memset8(a, 2, 1, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(*reinterpret_cast<char*>(a), 1);
}

TEST_F(FakeMemoryTest, HasLimitedCapacity) {
  std::size_t free = 0;
  std::size_t total = 0;
  CUdeviceptr address = allocate(1000);
  EXPECT_EQ(cu.memory_info(&free, &total), CUDA_SUCCESS);
  EXPECT_EQ(total - free, 1000U);
  EXPECT_EQ(cu.allocate(&address, total, pool, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cu.allocate(&address, 0, pool, nullptr), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace kmux::fake_cuda

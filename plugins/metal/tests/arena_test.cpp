#include "arena.h"

#include "gpu.h"
#include "workbench.h"

namespace kmux::metal {
namespace {

class ArenaTest : public testing::Test {
 protected:
  ~ArenaTest() override {
    gpu.reset();
    EXPECT_THAT(fake.complaints(), testing::IsEmpty());
  }
  char* allocate(std::size_t bytes, Id stream = nullptr) {
    return static_cast<char*>(gpu->arena().allocate(stream, bytes).value());
  }
  FakeMetal fake = FakeMetal::load();
  std::shared_ptr<Gpu> gpu = Gpu::open(FakeMetal::library()).value();
  Id one = &fake;
  Id other = &gpu;
};

TEST_F(ArenaTest, FindsBufferAndOffsetOfAddress) {
  char* const a = allocate(100);
  char* const b = allocate(3 * Arena::kPage);
  const Place first = gpu->arena().find(a);
  EXPECT_NE(first.buffer, nullptr);
  EXPECT_EQ(gpu->arena().find(a + 99).buffer, first.buffer);
  EXPECT_EQ(gpu->arena().find(a + 99).offset, 99U);
  EXPECT_NE(gpu->arena().find(b).buffer, first.buffer);
  EXPECT_EQ(gpu->arena().find(b + 2 * Arena::kPage + 5).offset, 2 * Arena::kPage + 5);
}

TEST_F(ArenaTest, FindsNoBufferForForeignMemory) {
  const char* const a = allocate(1);
  EXPECT_EQ(gpu->arena().find(&fake).buffer, nullptr);
  EXPECT_EQ(gpu->arena().find(nullptr).buffer, nullptr);
  EXPECT_EQ(gpu->arena().find(a + (std::size_t{1} << 30)).buffer, nullptr);
}

TEST_F(ArenaTest, AllocatesHostAccessibleMemory) {
  char* const a = allocate(1 << 20);
  a[0] = 1;
  a[(1 << 20) - 1] = 2;
  EXPECT_EQ(a[0] + a[(1 << 20) - 1], 3);
}

TEST_F(ArenaTest, ReusesFreedMemoryOnSameStream) {
  char* const a = allocate(100, one);
  gpu->arena().free(one, a);
  EXPECT_EQ(allocate(50, one), a);
}

TEST_F(ArenaTest, ReusesFreedMemoryOnOtherStreamOnceSettled) {
  char* const a = allocate(100, one);
  gpu->arena().free(one, a);
  EXPECT_NE(allocate(100, other), a);
  gpu->arena().settle(one, gpu->arena().now());
  EXPECT_EQ(allocate(100, other), a);
}

TEST_F(ArenaTest, SettlesOnlyEarlierFrees) {
  const std::uint64_t before = gpu->arena().now();
  char* const a = allocate(100, one);
  gpu->arena().free(one, a);
  gpu->arena().settle(one, before);
  EXPECT_NE(allocate(100, other), a);
}

TEST_F(ArenaTest, ReleasesUnusedBuffersWhenAllocationFails) {
  char* const a = allocate(10 * Arena::kPage, one);
  gpu->arena().free(one, a);
  gpu->arena().settle(one, gpu->arena().now());
  const int buffers = fake.live()["MTLBuffer"];
  fake.fail("newBufferWithBytesNoCopy:length:options:deallocator:");
  EXPECT_NE(allocate(20 * Arena::kPage, one), nullptr);
  EXPECT_EQ(fake.live()["MTLBuffer"], buffers);
  EXPECT_EQ(allocate(10 * Arena::kPage, one), a);  // the addresses stay, with a new buffer
  EXPECT_NE(gpu->arena().find(a).buffer, nullptr);
}

TEST_F(ArenaTest, ReportsRequestedSizeWhenOutOfMemory) {
  fake.fail("newBufferWithBytesNoCopy:length:options:deallocator:");
  fake.fail("newBufferWithBytesNoCopy:length:options:deallocator:");
  const auto memory = gpu->arena().allocate(nullptr, 12345);
  EXPECT_EQ(memory.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(memory.error().message, testing::HasSubstr("12345 bytes"));
  EXPECT_EQ(gpu->arena().allocate(nullptr, std::size_t{1} << 50).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace kmux::metal

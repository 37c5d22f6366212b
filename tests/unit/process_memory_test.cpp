#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "needs.h"
#include "pool/machine_share.h"

namespace kmux {
namespace {

TEST(ProcessMemoryTest, ResidentBytesGrowWithTouchedMemory) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const std::uint64_t before = resident_bytes();
  if (before == 0) GTEST_SKIP() << needs("Linux's /proc", "nothing else tells what a process has in memory now");
  {
    const std::unique_ptr<char[]> memory(new char[kBytes]);
    std::memset(memory.get(), 1, kBytes);
    EXPECT_GE(resident_bytes(), before + kBytes / 2);
  }
  EXPECT_GE(peak_resident_bytes(), before + kBytes / 2);  // even after the memory is freed
}

TEST(ProcessMemoryTest, PeakResidentBytesGrowWithTouchedMemory) {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  {
    const std::unique_ptr<char[]> memory(new char[kBytes]);
    std::memset(memory.get(), 1, kBytes);
  }
  EXPECT_GE(peak_resident_bytes(), kBytes);
}

}  // namespace
}  // namespace kmux

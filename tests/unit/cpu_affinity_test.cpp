#include <cerrno>
#include <thread>

#include <gtest/gtest.h>

#include "pool/machine_share.h"

namespace kmux {
namespace {

// sched_getaffinity refuses a set smaller than the kernel's, which exceeds a cpu_set_t above 1,024 processors.
TEST(CpuAffinityTest, CountsCoresBeyondCpuSetSize) {
  constexpr std::size_t kCores = 5000;
  const auto get = [](std::size_t bytes, void* set) {
    if (bytes * 8 < kCores) return errno = EINVAL, -1;
    for (std::size_t core = 0; core < kCores; core += 2) {
      unsigned char& byte = static_cast<unsigned char*>(set)[core / 8];
      byte = static_cast<unsigned char>(byte | 1U << core % 8);
    }
    return 0;
  };
  EXPECT_EQ(cores_of_affinity(get), kCores / 2);
}

TEST(CpuAffinityTest, FallsBackWhenAffinityIsUnknown) {
  for (const int error : {EINVAL, ENOSYS}) {
    EXPECT_EQ(cores_of_affinity([error](std::size_t, void*) { return errno = error, -1; }),
              std::thread::hardware_concurrency());
  }
  EXPECT_EQ(cores_of_affinity([](std::size_t, void*) { return 0; }), 1U) << "an empty set";
}

}  // namespace
}  // namespace kmux

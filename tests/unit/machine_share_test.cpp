#include "pool/machine_share.h"

#include <algorithm>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include "temp_folder.h"

namespace kmux {
namespace {

constexpr std::uint64_t kKilobyte = 1024;

/// A machine whose /proc and /sys are files of the test.
class MachineShareTest : public testing::Test {
 protected:
  MachineShareTest() {
    write("proc/meminfo", "MemTotal:       8000 kB\nMemFree:         500 kB\nMemAvailable:    4000 kB\n");
    write("proc/self/cgroup", "0::/user/job\n");
  }
  void write(const std::string& name, const std::string& content) { root_.write(name, content); }
  std::uint64_t available() const { return available_memory(root_.path()); }
  TempFolder root_;
};

TEST_F(MachineShareTest, EqualsAvailableMemoryOfMachine) { EXPECT_EQ(available(), 4000 * kKilobyte); }

TEST_F(MachineShareTest, IsLimitedByCgroupAndParent) {
  write("sys/fs/cgroup/user/job/memory.max", "1000000\n");
  write("sys/fs/cgroup/user/job/memory.current", "400000\n");
  EXPECT_EQ(available(), 600000U);
  write("sys/fs/cgroup/user/memory.max", "500000\n");  // its parent group has a lower limit
  EXPECT_EQ(available(), 500000U);
}

TEST_F(MachineShareTest, ExcludesCachedFilesFromUse) {
  write("sys/fs/cgroup/user/job/memory.max", "1000000\n");
  write("sys/fs/cgroup/user/job/memory.current", "400000\n");
  write("sys/fs/cgroup/user/job/memory.stat", "anon 100000\ninactive_file 300000\nactive_file 1\n");
  EXPECT_EQ(available(), 900000U);
}

TEST_F(MachineShareTest, ReadsContainerLimitAtCgroupRoot) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "700000\n");
  EXPECT_EQ(available(), 700000U);
}

TEST_F(MachineShareTest, ReadsCgroupV1Memory) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/job\n0::/\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "900000\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "100000\n");
  write("sys/fs/cgroup/memory/job/memory.stat", "cache 1\ntotal_inactive_file 50000\n");
  EXPECT_EQ(available(), 850000U);
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");  // its value for no limit
  EXPECT_EQ(available(), 4000 * kKilobyte);
}

TEST_F(MachineShareTest, IsZeroInFullCgroup) {
  write("sys/fs/cgroup/user/job/memory.max", "1000\n");
  write("sys/fs/cgroup/user/job/memory.current", "2000\n");
  EXPECT_EQ(available(), 0U);
}

TEST_F(MachineShareTest, IsUnlimitedWithoutLimits) {
  const TempFolder empty;
  EXPECT_EQ(available_memory(empty.path()), std::numeric_limits<std::uint64_t>::max());
  write("sys/fs/cgroup/user/job/memory.max", "max\n");
  EXPECT_EQ(available(), 4000 * kKilobyte);
}

TEST_F(MachineShareTest, LimitsCoresByCgroupV1Quota) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/x/job\n4:memory:/job\n");
  write("sys/fs/cgroup/cpu/x/job/cpu.cfs_quota_us", "150000\n");
  write("sys/fs/cgroup/cpu/x/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(usable_cores(root_.path()), std::min<std::size_t>(2, usable_cores("/nowhere")));
  write("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "50000\n");  // its parent group has a lower limit
  write("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(usable_cores(root_.path()), 1U);
  write("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/x/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(usable_cores(root_.path()), usable_cores("/nowhere"));
}

TEST_F(MachineShareTest, LimitsCoresByCgroupV2Quota) {
  EXPECT_GE(usable_cores(), 1U);
  EXPECT_LE(usable_cores(), std::thread::hardware_concurrency());
  write("sys/fs/cgroup/user/job/cpu.max", "50000 100000\n");
  EXPECT_EQ(usable_cores(root_.path()), 1U);
  write("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  EXPECT_EQ(usable_cores(root_.path()), usable_cores("/nowhere"));
}

}  // namespace
}  // namespace kmux

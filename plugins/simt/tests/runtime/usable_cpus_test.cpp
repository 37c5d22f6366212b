#include <fstream>
#include <sched.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "simt/runtime/processor.h"
#include "temp_folder.h"

namespace kmux::simt {
namespace {

/// Files of control groups, as the kernel shows them.
class ControlGroupsTest : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = folder_.path() / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  unsigned cpus(const std::string& lines) {
    write("self", lines);
    return quota_cpus((folder_.path() / "self").c_str(), (folder_.path() / "root").c_str());
  }
  TempFolder folder_;
};

TEST_F(ControlGroupsTest, UseLowestQuotaOfAncestors) {
  write("root/cpu.max", "max 100000\n");
  write("root/a/cpu.max", "250000 100000\n");
  write("root/a/b/cpu.max", "800000 100000\n");
  EXPECT_EQ(cpus("0::/a/b\n"), 3U) << "two and a half";
  EXPECT_EQ(cpus("0::/\n"), 0U) << "no quota";
}

TEST_F(ControlGroupsTest, TreatContainerGroupAsRoot) {
  write("root/cpu.max", "50000 100000\n");
  EXPECT_EQ(cpus("0::/\n"), 1U);
  EXPECT_EQ(cpus("0::/a/group/that/is/not/shown\n"), 1U);
}

TEST_F(ControlGroupsTest, ReadVersionOneQuotaFiles) {
  write("root/cpu/x/cpu.cfs_quota_us", "400000\n");
  write("root/cpu/x/cpu.cfs_period_us", "200000\n");
  write("root/cpu/y/cpu.cfs_quota_us", "-1\n");
  write("root/cpu/y/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus("7:memory:/x\n4:cpu,cpuacct:/x\n"), 2U);
  EXPECT_EQ(cpus("4:cpuacct,cpu:/y\n0::/z\n"), 0U);
  EXPECT_EQ(cpus("4:cpuset:/x\n"), 0U) << "another controller";
}

TEST_F(ControlGroupsTest, MissingFilesImposeNoLimit) {
  EXPECT_EQ(quota_cpus("/no/such/file", "/no/such/folder"), 0U);
  EXPECT_EQ(cpus("neither\n0::\n"), 0U);
}

TEST(UsableCpusTest, MatchAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(getpid(), sizeof before, &before), 0);
  ASSERT_LE(usable_cpus(), static_cast<unsigned>(CPU_COUNT(&before)));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &before)) continue;
    CPU_SET(cpu, &one);
    break;
  }
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof one, &one), 0);
  EXPECT_EQ(usable_cpus(), 1U);
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof before, &before), 0);
}

TEST(UsableCpusTest, ResetInheritedThreadAffinity) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(getpid(), sizeof all, &all), 0);
  cpu_set_t seen;
  CPU_ZERO(&seen);
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    run_on_usable_cpus();
    sched_getaffinity(0, sizeof seen, &seen);
  }).join();
  EXPECT_TRUE(CPU_EQUAL(&all, &seen));
}

}  // namespace
}  // namespace kmux::simt

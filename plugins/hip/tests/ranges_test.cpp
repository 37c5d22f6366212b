// Starts without ROCTx (see CMakeLists.txt), then has a fake of it.
#include <dlfcn.h>

#include "needs.h"
#include "over_fake.h"

namespace kmux::hip {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::StartsWith;

class HipRangesTest : public OverFake {
 protected:
  HipRangesTest() { host.options["hip.roctx"] = "1"; }

  // Launches once, and returns the log.
  std::string launch_one() {
    const auto adapter = loaded(one_kernel(kAddOne));
    const DeviceVector x(backend, 64);
    launch(*adapter, {slot(x.address()), slot(64)}).value();
    EXPECT_THAT(x.values(), Each(1.0F));
    return std::exchange(host.log, "");
  }
};

// Must run first: opened libraries stay open.
TEST_F(HipRangesTest, MissingLibraryIsReportedOnce) {
  if (open_profiler_ranges(kRoctx).are_open())
    GTEST_SKIP() << needs("no ROCm", "this machine has its ranges, by their full path");
  EXPECT_THAT(launch_one(), HasSubstr("no ROCTx ranges (neither \"librocprofiler-sdk-roctx.so.1\" nor"));
  EXPECT_EQ(launch_one(), "");
}

TEST_F(HipRangesTest, ContainProgramAndKernelNames) {
  void* const library = dlopen(KMUX_FAKE_ROCTX, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto told = reinterpret_cast<const char* (*)()>(dlsym(library, "kmux_told"));
  ASSERT_NE(told, nullptr);
  for (const char* off : {"", "0", "off"}) {
    host.options["hip.roctx"] = off;
    launch_one();
    EXPECT_STREQ(told(), "") << off;
  }
  host.options["hip.roctx"] = "1";
  launch_one();
  EXPECT_STREQ(told(), "sample(k())");
  ProgramBuilder two = one_kernel(kAddOne);
  two.body().fill("x", Expr::symbol("n") * 4);
  two.launch("k").grid({1}).block({64}).args({"x"}).arg(Expr::symbol("n"));
  const auto adapter = loaded(two);
  const DeviceVector x(backend, 64);
  launch(*adapter, {slot(x.address()), slot(64)}).value();
  EXPECT_STREQ(told(), "sample(k())sample(k()k())");
  EXPECT_THAT(x.values(), Each(1.0F)) << "and the fill between";
  fake->fail("hipModuleLaunchKernel", 719, 1);
  EXPECT_FALSE(launch(*adapter, {slot(x.address()), slot(64)}).ok());
  EXPECT_THAT(std::string(told()).substr(std::string("sample(k())sample(k()k())").size()), StartsWith("sample(k())"));
}

}  // namespace
}  // namespace kmux::hip

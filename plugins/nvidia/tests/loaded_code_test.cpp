#include "nvidia/launch/loaded_code.h"

#include "cubin_example.h"
#include "nvidia/launch/launcher.h"
#include "opened_launcher.h"

namespace kmux::nvidia {
namespace {

class LoadedCodeTest : public OpenedLauncherTest {
 protected:
  LoadedCodeTest() { fake.clear_calls(); }

  const DriverTable& driver = *open_driver(sink());
  LoadedCode code{"code", facts};
};

TEST_F(LoadedCodeTest, LoadsOnceAndProvidesKernels) {
  EXPECT_EQ(code.load(driver, sink()), KMUX_OK) << error;
  EXPECT_EQ(code.load(driver, sink()), KMUX_OK) << error;
  EXPECT_THAT(fake.symbols(), ElementsAre("cuLibraryLoadData", "cuLibraryGetKernel", "cuLibraryGetKernel"));
  EXPECT_NE(code.kernel(0), code.kernel(1));
  EXPECT_EQ(code.unload(driver), CUDA_SUCCESS);
  EXPECT_EQ(code.unload(driver), CUDA_SUCCESS);
  EXPECT_EQ(fake.calls("cuLibraryUnload").size(), 1U);
}

TEST_F(LoadedCodeTest, ReportsLoadFailure) {
  fake.fail("cuLibraryLoadData", CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(code.load(driver, sink()), KMUX_UNAVAILABLE);
  EXPECT_THAT(error, AllOf(HasSubstr("cuLibraryLoadData failed with 2 CUDA_ERROR_OUT_OF_MEMORY"),
                           HasSubstr("the code of \"sum\"")));
  EXPECT_EQ(code.load(driver, sink()), KMUX_OK);
  EXPECT_EQ(code.unload(driver), CUDA_SUCCESS);
}

// The driver parses code when a kernel is requested, so the error occurs then.
TEST_F(LoadedCodeTest, RejectsInvalidCode) {
  LoadedCode junk("\x01\x02\x03", facts);
  EXPECT_EQ(junk.load(driver, sink()), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error, AllOf(HasSubstr("cuLibraryGetKernel failed with 200 CUDA_ERROR_INVALID_IMAGE"),
                           HasSubstr("kernel \"add\" in the code of \"sum\""),
                           HasSubstr("damaged, or none for NVIDIA's devices: compile it again.")));
  EXPECT_EQ(fake.live().libraries, 0U);
}

TEST_F(LoadedCodeTest, RejectsCodeForOtherArchitecture) {
  CUcontext context = nullptr;
  EXPECT_EQ(driver.primary_retain(&context, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver.current_set(context), CUDA_SUCCESS);
  CubinExample example{.symbols = {{"add"}, {"mul"}}};
  const std::string fitting = example.bytes();
  LoadedCode good(fitting.data(), facts);
  EXPECT_EQ(good.load(driver, sink()), KMUX_OK) << error;
  EXPECT_EQ(good.unload(driver), CUDA_SUCCESS);
  example.flags = 0x06006404;  // sm_100
  const std::string foreign = example.bytes();
  LoadedCode bad(foreign.data(), facts);
  EXPECT_EQ(bad.load(driver, sink()), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error, AllOf(HasSubstr("cuLibraryGetKernel failed with 209 CUDA_ERROR_NO_BINARY_FOR_GPU"),
                           HasSubstr("compile it for the architecture of this one.")));
  EXPECT_EQ(fake.live().libraries, 0U);
}

TEST_F(LoadedCodeTest, FindsVariableAtStableAddress) {
  const std::string cubin =
      CubinExample{.symbols = {{"add", ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0x10, 1, {8, 4}},
                               {"mul"},
                               {"weights", ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), 0, 1, {}, {}, 16}}}
          .bytes();
  Launcher launcher(cubin.data(), facts, {});
  void *first = nullptr, *again = nullptr, *second = nullptr;
  std::uint64_t bytes = 0;
  EXPECT_EQ(launcher.find_variable(0, "weights", &first, &bytes, sink()), KMUX_OK) << error;
  EXPECT_EQ(bytes, 16U);
  EXPECT_EQ(launcher.find_variable(0, "weights", &again, &bytes, sink()), KMUX_OK) << error;
  EXPECT_EQ(again, first);
  EXPECT_EQ(launcher.find_variable(0, "weigths", &second, &bytes, sink()), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error, AllOf(HasSubstr("cuLibraryGetGlobal failed with 500 CUDA_ERROR_NOT_FOUND"),
                           HasSubstr("variable \"weigths\" in the code of \"sum\"")));
}

TEST_F(LoadedCodeTest, UnloadsWhenKernelIsMissing) {
  fake.hide_kernel("mul");
  EXPECT_EQ(code.load(driver, sink()), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error, AllOf(HasSubstr("cuLibraryGetKernel failed with 500 CUDA_ERROR_NOT_FOUND"),
                           HasSubstr("kernel \"mul\" in the code of \"sum\""),
                           HasSubstr("Check the name of the kernel in the sources")));
  EXPECT_EQ(fake.live().libraries, 0U);
}

TEST_F(LoadedCodeTest, IsNotLoadedWithoutKernels) {
  facts.kernel_count = 0;
  EXPECT_EQ(code.load(driver, sink()), KMUX_OK) << error;
  EXPECT_THAT(fake.calls(), IsEmpty());
}

}  // namespace
}  // namespace kmux::nvidia

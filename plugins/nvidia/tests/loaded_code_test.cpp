#include "nvidia/launch/loaded_code.h"

#include "opened_launcher.h"

namespace kmux::nvidia {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class LoadedCodeTest : public OpenedLauncher {
 protected:
  LoadedCodeTest() { fake.clear_calls(); }

  const DriverTable& driver = *open_driver(sink());
  LoadedCode code{"code", facts};
};

TEST_F(LoadedCodeTest, IsLoadedOnceAndHasItsKernels) {
  EXPECT_EQ(code.load(driver, sink()), KMUX_OK) << error;
  EXPECT_EQ(code.load(driver, sink()), KMUX_OK) << error;
  EXPECT_THAT(fake.symbols(), ElementsAre("cuLibraryLoadData", "cuLibraryGetKernel", "cuLibraryGetKernel"));
  EXPECT_NE(code.kernel(0), code.kernel(1));
  EXPECT_EQ(code.unload(driver), CUDA_SUCCESS);
  EXPECT_EQ(code.unload(driver), CUDA_SUCCESS);
  EXPECT_EQ(fake.calls("cuLibraryUnload").size(), 1U);
}

TEST_F(LoadedCodeTest, TellsThatItDoesNotFitTheDevice) {
  fake.fail("cuLibraryLoadData", CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(code.load(driver, sink()), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error, AllOf(HasSubstr("cuLibraryLoadData failed with 209 CUDA_ERROR_NO_BINARY_FOR_GPU"),
                           HasSubstr("the code of \"sum\""), HasSubstr("Compile for the architecture")));
  EXPECT_EQ(code.load(driver, sink()), KMUX_OK);
  EXPECT_EQ(code.unload(driver), CUDA_SUCCESS);
}

TEST_F(LoadedCodeTest, IsUnloadedWhereItLacksAKernel) {
  fake.hide_kernel("mul");
  EXPECT_EQ(code.load(driver, sink()), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error, HasSubstr("kernel \"mul\""));
  EXPECT_EQ(fake.live().libraries, 0U);
}

TEST_F(LoadedCodeTest, IsNotLoadedWithoutKernels) {
  facts.kernel_count = 0;
  EXPECT_EQ(code.load(driver, sink()), KMUX_OK) << error;
  EXPECT_THAT(fake.calls(), IsEmpty());
}

}  // namespace
}  // namespace kmux::nvidia

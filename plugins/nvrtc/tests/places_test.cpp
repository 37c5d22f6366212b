#include "places.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_host.h"
#include "temp_folder.h"

namespace kmux::nvrtc {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PlacesTest : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder.path() / name).string(); }
  TempFolder folder;
  FakeHost host;
};

TEST_F(PlacesTest, UsesOnlyNamedLibrary) {
  folder.write("mine.so", "");
  host.options["nvrtc.library"] = at("mine.so");
  EXPECT_EQ(find_library(host).value(), at("mine.so"));
  host.options["nvrtc.library"] = at("none.so");
  EXPECT_EQ(find_library(host).error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(find_library(host).error().message, AllOf(HasSubstr(at("none.so")), HasSubstr("KMUX_NVRTC_LIBRARY")));
}

TEST_F(PlacesTest, FindsNewestLibraryInToolkit) {
  folder.write("lib64/libnvrtc.so.12", "");
  host.options["cuda.home"] = at("");
  host.options["cuda.home"].pop_back();
  EXPECT_EQ(find_library(host).value(), at("lib64/libnvrtc.so.12"));
  folder.write("lib64/libnvrtc.so.13", "");
  EXPECT_EQ(find_library(host).value(), at("lib64/libnvrtc.so.13"));
}

TEST_F(PlacesTest, SearchesPackagesOfVirtualEnvironment) {
  folder.write("lib/python3.11/site-packages/x", "");
  folder.write("lib/other/x", "");
  host.options["nvrtc.venv"] = at("");
  host.options["nvrtc.venv"].pop_back();
  EXPECT_THAT(library_folders(host), AllOf(Contains(at("lib/python3.11/site-packages/nvidia/cu13/lib")),
                                           Contains(at("lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib"))));
}

// If the loader finds one, it is used.
TEST_F(PlacesTest, MissingLibraryErrorListsEveryFolder) {
  const auto found = find_library_in({at("first"), at("second")});
  if (found) {
    EXPECT_THAT(*found, HasSubstr("libnvrtc"));
    return;
  }
  EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(found.error().message, AllOf(HasSubstr(at("first") + ", " + at("second")),
                                           HasSubstr("pip install nvidia-cuda-nvrtc nvidia-cuda-runtime "
                                                     "nvidia-cuda-cccl nvidia-cuda-crt"),
                                           HasSubstr("KMUX_NVRTC_LIBRARY")));
}

TEST_F(PlacesTest, SuggestsPackageForMissingToolkitHeader) {
  EXPECT_THAT(toolkit_header_advice("catastrophic error: cannot open source file \"crt/host_defines.h\"").value_or(""),
              HasSubstr("nvidia-cuda-crt"));
  EXPECT_FALSE(toolkit_header_advice("catastrophic error: cannot open source file \"tl_templates/cuda/gemm.h\""));
  EXPECT_FALSE(toolkit_header_advice("error: identifier \"cuda\" is undefined"));
}

TEST_F(PlacesTest, ReadsReleaseFromBuiltinsName) {
  const std::string library = folder.write("pypi/libnvrtc.so.12", "").string();
  folder.write("pypi/libnvrtc-builtins.so.12.4", "");
  EXPECT_EQ(release_of(library), (nvidia::Release{12, 4}));
  folder.write("pypi/libnvrtc-builtins.so.12.4.127", "");
  EXPECT_EQ(release_of(library), (nvidia::Release{12, 4}));
  folder.write("pypi/libnvrtc-builtins.so.13.0", "");  // ambiguous: the library itself is not valid
  EXPECT_EQ(release_of(library), std::nullopt);
}

TEST_F(PlacesTest, QueriesLibraryForReleaseWithoutBuiltins) {
  EXPECT_EQ(release_of(KMUX_OLD_NVRTC), (nvidia::Release{12, 4}));
}

TEST_F(PlacesTest, UsesHeadersOfSameToolkit) {
  folder.write("home/lib64/libnvrtc.so.13", "");
  folder.write("home/include/cuda_fp16.h", "");
  folder.write("home/include/cccl/x", "");
  EXPECT_THAT(header_folders(at("home/lib64/libnvrtc.so.13"), host),
              ElementsAre(at("home/include"), at("home/include/cccl")));
}

TEST_F(PlacesTest, FindsHeadersInSiblingPackages) {
  folder.write("nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "");
  folder.write("nvidia/cuda_nvrtc/include/nvrtc.h", "");
  folder.write("nvidia/cuda_runtime/include/cuda_fp16.h", "");
  folder.write("nvidia/cuda_cccl/include/x", "");
  folder.write("nvidia/cuda_nvcc/include/crt/host_defines.h", "");
  const std::string library = at("nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  EXPECT_THAT(
      header_folders(library, host),
      ElementsAre(at("nvidia/cuda_runtime/include"), at("nvidia/cuda_cccl/include"), at("nvidia/cuda_nvcc/include")));
}

TEST_F(PlacesTest, SkipsToolkitWithoutHeaders) {
  folder.write("bare/lib64/libnvrtc.so.13", "");
  folder.write("bare/include/nvrtc.h", "");
  folder.write("whole/include/cuda_fp16.h", "");
  host.options["cuda.home"] = at("whole");
  EXPECT_THAT(header_folders(at("bare/lib64/libnvrtc.so.13"), host), ElementsAre(at("whole/include")));
}

}  // namespace
}  // namespace kmux::nvrtc

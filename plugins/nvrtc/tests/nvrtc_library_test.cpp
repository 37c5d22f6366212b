#include "nvrtc_library.h"

#include <dlfcn.h>
#include <filesystem>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "temp_folder.h"
#include "workbench.h"

namespace kmux::nvrtc {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using NvrtcLibraryTest = NvrtcTest;

TEST_F(NvrtcLibraryTest, OpensOnceAcrossThreads) {
  const std::string path = find_library(host).value();
  std::vector<const NvrtcLibrary*> opened(8);
  std::vector<std::thread> threads;
  for (auto& place : opened) threads.emplace_back([&] { place = NvrtcLibrary::open(path).value(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(opened, testing::Each(opened[0]));
  EXPECT_GE(opened[0]->major(), 12);
}

// The loader then finds it by name, wherever NVRTC is installed.
TEST_F(NvrtcLibraryTest, LoadsBuiltinsOnOpen) {
  const std::filesystem::path path = find_library(host).value();
  ASSERT_TRUE(NvrtcLibrary::open(path).ok());
  int beside = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path())) {
    if (!entry.path().filename().string().starts_with("libnvrtc-builtins.so.")) continue;
    EXPECT_NE(dlopen(entry.path().filename().c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr) << entry.path();
    ++beside;
  }
  EXPECT_GT(beside, 0);
}

TEST_F(NvrtcLibraryTest, ComparesVersions) {
  const NvrtcLibrary& library = *NvrtcLibrary::open(find_library(host).value()).value();
  EXPECT_TRUE(library.is_at_least(library.major(), library.minor()));
  EXPECT_TRUE(library.is_at_least(library.major() - 1, library.minor() + 1));
  EXPECT_FALSE(library.is_at_least(library.major(), library.minor() + 1));
  EXPECT_FALSE(library.is_at_least(library.major() + 1, 0));
}

TEST_F(NvrtcLibraryTest, ReportsFailedCallWithCodeAndName) {
  const Error error =
      NvrtcLibrary::open(find_library(host).value()).value()->failure("nvrtcCreateProgram", NvrtcResult::kOutOfMemory);
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("nvrtcCreateProgram failed with 1 NVRTC_ERROR_OUT_OF_MEMORY (NVRTC "));
}

TEST(NvrtcLibraryFileTest, RejectsInvalidFileEachTime) {
  TempFolder folder;
  const std::string path = folder.write("libnvrtc.so.13", "no library").string();
  for (int i = 0; i < 2; ++i) {
    const auto opened = NvrtcLibrary::open(path);
    EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(opened.error().message, HasSubstr(path));
  }
}

TEST(NvrtcLibraryFileTest, ReportsMissingFunctionByName) {
  const auto opened = NvrtcLibrary::open("libm.so.6");
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(opened.error().message, AllOf(HasSubstr("nvrtcVersion"), HasSubstr("libm.so.6")));
}

}  // namespace
}  // namespace kmux::nvrtc

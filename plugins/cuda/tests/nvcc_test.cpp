#include "nvcc.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_host.h"
#include "temp_folder.h"

namespace kmux::cuda {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

// A toolkit with the files that the search checks.
class NvccTest : public ::testing::Test {
 protected:
  NvccTest() {
    fs::permissions(folder.write("bin/nvcc", "#!/bin/sh\n"), fs::perms::owner_all);
    host.options["cuda.home"] = folder.path();
  }
  TempFolder folder;
  FakeHost host;
};

TEST_F(NvccTest, UsesConfiguredNvcc) {
  const Nvcc nvcc = find_nvcc(host).value();
  EXPECT_EQ(nvcc.program, folder.path() / "bin/nvcc");
  EXPECT_EQ(nvcc.home, folder.path());
}

TEST_F(NvccTest, ReadsToolkitRelease) {
  const Nvcc nvcc = find_nvcc(host).value();
  EXPECT_EQ(release_of(nvcc), std::nullopt);
  folder.write("include/cuda.h", "#define CUDA_VERSION 12040\n");
  EXPECT_EQ(release_of(nvcc), (nvidia::Release{12, 4}));
  folder.write("version.json", R"({"cuda": {"version": "12.8.93"}})");
  EXPECT_EQ(release_of(nvcc), (nvidia::Release{12, 8}));
}

TEST_F(NvccTest, ReportsEverySearchedPath) {
  const char* before = std::getenv("PATH");
  const std::string path = before ? before : "";
  setenv("PATH", "/nowhere", /*overwrite=*/1);
  host.options["cuda.home"] = "/no/cuda";
  const auto missing = find_nvcc(host);
  setenv("PATH", path.c_str(), /*overwrite=*/1);
  if (missing.ok()) {
    EXPECT_EQ(missing->program, "/usr/local/cuda/bin/nvcc") << "the one place that this test cannot hide";
    return;
  }
  EXPECT_EQ(missing.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(missing.error().message, HasSubstr(R"(tried "/no/cuda/bin/nvcc", "/usr/local/cuda/bin/nvcc")"));
}

TEST_F(NvccTest, WarnsAboutEnvironmentFlags) {
  warn_of_unused_flags(host);
  EXPECT_EQ(host.log, "");
  host.options["cuda.nvcc_append_flags"] = "-use_fast_math";
  warn_of_unused_flags(host);
  EXPECT_EQ(host.highest_level, 2);
  EXPECT_THAT(host.log, HasSubstr("NVCC_APPEND_FLAGS=\"-use_fast_math\" is not used"));
  EXPECT_THAT(host.log, HasSubstr("Set option compile_flags"));
}

TEST_F(NvccTest, IsIdentifiedByVersionAndPrograms) {
  const Nvcc nvcc = find_nvcc(host).value();
  const std::string bare = dump(identify(nvcc));
  EXPECT_THAT(bare, HasSubstr("\"version\":\"\""));
  EXPECT_THAT(bare, HasSubstr("/bin/nvcc\",\"size\":10"));
  folder.write("include/cuda.h", "/* text */\n#define CUDA_VERSION 13000\n");
  EXPECT_THAT(dump(identify(nvcc)), HasSubstr("\"version\":\"13000\""));
  folder.write("version.json", R"({"cuda":{"name":"CUDA SDK","version":"13.0.2"}})");
  EXPECT_THAT(dump(identify(nvcc)), HasSubstr("\"version\":\"13.0.2\""));
  folder.write("nvvm/bin/cicc", "compiler");
  EXPECT_THAT(dump(identify(nvcc)), HasSubstr("/nvvm/bin/cicc\",\"size\":8"));
}

}  // namespace
}  // namespace kmux::cuda

// The choice of a HIP runtime: copies of the HIP on the CPU stand for those of several installations.
#include <algorithm>
#include <dlfcn.h>
#include <filesystem>

#include "hiprtc_library.h"
#include "over_fake.h"
#include "temp_folder.h"

namespace kmux::hip {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class HipPlacesTest : public testing::Test {
 protected:
  // Loads the dependencies of the copies, which they look for next to the original.
  void SetUp() override { FakeHip::load(); }
  std::string at(const std::string& name) const { return (folder.path() / name).string(); }
  /// Returns the path of a separate copy of the runtime.
  std::string installed(const std::string& name) const {
    fs::create_directories(fs::path(at(name)).parent_path());
    fs::copy_file(FakeHip::path(), at(name));
    return at(name);
  }
  static std::string file_of(const HipTable& hip) {
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(hip.launch.function()), &info);
    return info.dli_fname;
  }

  TempFolder folder;
  FakeHost host;
};

TEST_F(HipPlacesTest, SearchesFoldersInOrder) {
  for (const char* const name : {"hip/lib/libamdhip64.so.7", "rocm/lib/libamdhip64.so.5", "rocm/lib/libamdhip64.so.6",
                                 "venv/lib/python3.11/site-packages/torch/lib/libamdhip64.so",
                                 "venv/lib/python3.11/site-packages/_rocm_sdk_core/lib/libamdhip64.so.7"}) {
    folder.write(name, "");
  }
  host.options = {{"hip.hip_path", at("hip")}, {"hip.rocm_path", at("rocm")}, {"hip.venv", at("venv")}};
  auto found = hip_candidates(places_of(host));
  ASSERT_GE(found.size(), 8U);
  found.resize(8);
  EXPECT_THAT(found,
              ElementsAre(at("venv/lib/python3.11/site-packages/torch/lib/libamdhip64.so"),
                          at("venv/lib/python3.11/site-packages/_rocm_sdk_core/lib/libamdhip64.so.7"),
                          at("rocm/lib/libamdhip64.so.6"), at("rocm/lib/libamdhip64.so.5"),
                          at("hip/lib/libamdhip64.so.7"), "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"));
  host.options["hip.library"] = at("mine.so");
  EXPECT_THAT(hip_candidates(places_of(host)), ElementsAre(at("mine.so")));
}

TEST_F(HipPlacesTest, OpensRuntimeFromRocmFolder) {
  const std::string runtime = installed("rocm/lib/libamdhip64.so.6");
  host.options["hip.rocm_path"] = at("rocm");
  EXPECT_EQ(file_of(*opened_hip(host).value()), runtime);
  EXPECT_EQ(loaded_hip(), runtime);
}

TEST_F(HipPlacesTest, UsesOnlyLoadedRuntime) {
  const std::string torchs = installed("torch/lib/libamdhip64.so");
  const std::string rocms = installed("rocm/lib/libamdhip64.so.6");
  FakeHip::load(torchs);
  host.options["hip.rocm_path"] = at("rocm");
  EXPECT_THAT(hip_candidates(places_of(host)), ElementsAre(torchs));
  EXPECT_EQ(file_of(*opened_hip(host).value()), torchs);
  EXPECT_EQ(HiprtcLibrary::open(host).value().path(), torchs);
  EXPECT_EQ(dlopen(rocms.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST_F(HipPlacesTest, RejectsSecondRuntime) {
  const std::string torchs = installed("torch/lib/libamdhip64.so");
  const std::string rocms = installed("rocm/lib/libamdhip64.so.6");
  FakeHip::load(torchs);
  host.options["hip.library"] = rocms;
  const auto refused = opened_hip(host);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr(rocms), HasSubstr(torchs), HasSubstr("KMUX_HIP_LIBRARY")));
  EXPECT_EQ(dlopen(rocms.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr);
  fs::create_symlink(torchs, at("libamdhip64.so.6"));
  host.options["hip.library"] = at("libamdhip64.so.6");
  EXPECT_TRUE(opened_hip(host).ok());
}

TEST_F(HipPlacesTest, FindsCompilerBesideRuntime) {
  installed("rocm/lib/libamdhip64.so.7");
  const std::string compiler = installed("rocm/lib/libhiprtc.so.7");
  installed("other/lib/libhiprtc.so.7");
  host.options = {{"hip.rocm_path", at("rocm")}, {"hip.hip_path", at("other")}};
  EXPECT_EQ(HiprtcLibrary::open(host).value().path(), compiler);
}

TEST_F(HipPlacesTest, ReportsEverySearchedFolder) {
  host.options["hip.rocm_path"] = at("rocm");
  const auto hip = opened_hip(host);
  if (hip) {  // the loader or /opt has one
    EXPECT_EQ(file_of(**hip), loaded_hip());
    return;
  }
  EXPECT_THAT(hip.error().message,
              AllOf(HasSubstr("libamdhip64.so.7"), HasSubstr(at("rocm/lib")), HasSubstr("/opt/rocm/lib")));
}

}  // namespace
}  // namespace kmux::hip

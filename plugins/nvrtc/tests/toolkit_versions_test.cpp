// Compares section "Toolkits" of docs/nvidia-drivers.md with the backend's behaviour over an NVRTC of each release.
#include <gmock/gmock.h>

#include "nvidia/tests/toolkit_page.h"
#include "precompiled_headers.h"
#include "workbench.h"

namespace kmux::nvrtc {
namespace {

using nvidia::Release;
using testing::AllOf;
using testing::HasSubstr;

class NvrtcReleaseTest : public testing::TestWithParam<int> {
 protected:
  NvrtcReleaseTest() { host.options["nvrtc.library"] = path_; }

  bool has(const std::string& feature) const { return nvidia::toolkit_feature(feature).is_in("NVRTC", release()); }
  static Release release() { return {GetParam() / 100, GetParam() % 100}; }
  const NvrtcLibrary& library() const { return *NvrtcLibrary::open(path_).value(); }
  Result<Artifact> build(Options options = {}, const std::string& target = "cuda:compute_90") {
    return wrap_and_build(backend, one_kernel(kAddOne).build().value(), std::move(options), target);
  }
  /// Expects a build if `known`, else a refusal with `name`.
  void expect_built(bool known, const Result<Artifact>& built, const std::string& name) {
    ASSERT_EQ(built.ok(), known) << name << (built ? "" : ": " + built.error().explain());
    if (known) return;
    EXPECT_EQ(built.error().code, ErrorCode::kInvalidArgument) << name;
    EXPECT_THAT(built.error().message,
                AllOf(HasSubstr("NVRTC " + library().version() + " does not take an option"), HasSubstr(name)));
  }

  ToolkitHost host;
  NvrtcBackend backend{host};

 private:
  const std::string path_ = KMUX_NVRTC_RELEASES "/" + std::to_string(GetParam()) + "/libnvrtc.so.12";
};

TEST_P(NvrtcReleaseTest, FallsBackToPtxForUnknownArchitectures) {
  for (const char* arch : {"sm_100", "sm_103", "sm_110", "sm_120", "sm_121", "sm_100f"}) {
    const bool is_known = nvidia::page_knows("NVRTC", release(), arch);
    const std::string target = to_string(backend.resolve_target(arch, std::nullopt).value());
    EXPECT_EQ(target.find(",code=compute_") == std::string::npos, is_known) << target;
    if (is_known) continue;
    host.log.clear();
    NvrtcBackend another{host};
    const auto built = wrap_and_build(another, one_kernel(kAddOne).build().value(), {}, arch);
    ASSERT_TRUE(built.ok()) << arch << ": " << built.error().explain();
    EXPECT_THAT(host.log, HasSubstr("NVRTC " + library().version() + " does not know " + arch));
  }
}

TEST_P(NvrtcReleaseTest, SupportsVirtualArchitecturesAsDocumented) {
  for (const char* number : {"100", "101", "103", "110", "120", "121"}) {
    const bool is_known = nvidia::page_knows("NVRTC", release(), "sm_" + std::string(number));
    expect_built(is_known, build({}, "cuda:compute_" + std::string(number)), "--gpu-architecture");
  }
  expect_built(has("before sm_75"), build({}, "cuda:compute_70"), "--gpu-architecture");
}

TEST_P(NvrtcReleaseTest, SupportsFastTierAsDocumented) {
  expect_built(has("tier `fast`"), build({{"tier", "fast"}}), "--Ofast-compile=max");
}

TEST_P(NvrtcReleaseTest, SupportsFlagsAsDocumented) {
  for (const auto& [flag, row] :
       {std::pair("--brief-diagnostics=true", "`--brief-diagnostics=`"), std::pair("--minimal", "`--minimal`"),
        std::pair("--device-float128", "`--device-float128`")}) {
    expect_built(has(row), build({{"compile_flags", flag}}), flag);
  }
}

TEST_P(NvrtcReleaseTest, CreatesPrecompiledHeadersIfSupported) {
  using Use = PrecompiledHeaders::Plan::Use;
  PrecompiledHeaders headers;
  EXPECT_EQ(headers.plan(library(), "stamp").use, Use::kNone);
  EXPECT_EQ(headers.plan(library(), "stamp").use, has("headers compiled in advance") ? Use::kCreate : Use::kNone);
}

TEST_P(NvrtcReleaseTest, DisablesInternalCacheIfPresent) {
  const auto built = build();
  ASSERT_TRUE(built.ok()) << built.error().explain();
  EXPECT_EQ(built->find("code")->find(" --no-cache") != std::string::npos, has("NVRTC's own cache"));
}

TEST_P(NvrtcReleaseTest, SupportsLtoAsDocumented) { EXPECT_EQ(library().has_lto(), has("option `lto`")); }

INSTANTIATE_TEST_SUITE_P(Of, NvrtcReleaseTest, testing::Values(1200, 1201, 1203, 1204, 1205, 1206, 1208, 1209, 1300),
                         [](const auto& release) { return "Cuda" + std::to_string(release.param); });

TEST(JitLinkReleaseTest, LinksWithFirstReleaseSymbolNames) {
  EXPECT_EQ(nvidia::toolkit_feature("option `lto`").releases.at("nvJitLink"), (Release{12, 0}));
  const std::string path = JitLinkLibrary::find(KMUX_NVRTC_RELEASES "/1200/libnvrtc.so.12").value();
  const auto linker = JitLinkLibrary::open(path);
  ASSERT_TRUE(linker.ok()) << linker.error().explain();
  EXPECT_EQ(linker.value()->link({{"a.cu", "one "}, {"b.cu", "two"}}, {"-lto"}).value().code, "linked:one two");
}

TEST(JitLinkReleaseTest, ReportsMissingFunctionByName) {
  const auto linker = JitLinkLibrary::open("libm.so.6");
  EXPECT_EQ(linker.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(linker.error().message, AllOf(HasSubstr("nvJitLinkCreate"), HasSubstr("libm.so.6")));
}

}  // namespace
}  // namespace kmux::nvrtc

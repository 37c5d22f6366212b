// The headers passed to hiprtc. The HIP on the CPU only has the headers passed to it, as hiprtc without ROCm's folders.
#include <algorithm>
#include <fstream>

#include "compiler_choice.h"
#include "meta.h"
#include "over_fake.h"
#include "temp_folder.h"

namespace kmux::hip {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

class HiprtcTest : public OverFake {
 protected:
  Status build(const ProgramBuilder& builder, Options options = {}) {
    const Program program = builder.build().value();
    const BuildRequest request{program, 0, Target{"hip", "gfx90a", {}}, std::move(options)};
    KMUX_ASSIGN(const std::string launcher, backend.wrapper().wrap(request));
    KMUX_TRY(backend.builder().build(request, launcher));
    return Ok{};
  }
  static std::string including(const char* header) { return "#include <" + std::string(header) + ">\n" + kAddOne; }
};

// As for engine clang: a product that the source rounds is not contracted with a sum.
TEST_F(HiprtcTest, ReceivesFastMathFlags) {
  const Program program = one_kernel(kAddOne).build().value();
  for (const bool is_fast : {true, false}) {
    const BuildRequest request{program, 0, Target{"hip", "gfx90a", {}}, {{"fast_math", is_fast ? "on" : "off"}}};
    const std::string launcher = backend.wrapper().wrap(request).value();
    const Artifact artifact = backend.builder().build(request, launcher).value();
    const Meta meta = parse_meta(*artifact.find(kMetaPart)).value();
    EXPECT_THAT(meta.compiler, HasSubstr("hiprtc"));
    EXPECT_EQ(std::ranges::count(meta.arguments, "-fapprox-func"), is_fast ? 1 : 0);
    EXPECT_THAT(meta.arguments, Each(Not(HasSubstr("contract"))))
        << "HIP's default honors pragmas, and HIP 5 refuses that name";
  }
}

TEST_F(HiprtcTest, FindsBuiltInHeaders) {
  for (const char* header : kBuiltInHeaders) {
    const std::string dialect = std::string(header).starts_with("hip/") ? "hip" : "cuda";
    const Status status = build(one_kernel(including(header), "k", dialect));
    EXPECT_TRUE(status.ok()) << header << ": " << status.error().explain();
  }
  const Status other = build(one_kernel(including("hip/hip_cooperative_groups.h")));
  EXPECT_EQ(other.error().code, ErrorCode::kCompileFailed);
}

TEST_F(HiprtcTest, DetectsOtherIncludes) {  // C2.2
  const auto includes = [](const std::string& text, const BuildOptions& options = {}) {
    return includes_others(SourceUnit{.path = "a.hip", .text = text, .files = {{"own/own.h", "#define OWN\n"}}},
                           options);
  };
  for (const char* header : kBuiltInHeaders) EXPECT_FALSE(includes(including(header))) << header;
  EXPECT_FALSE(includes("#include <own/own.h>\n#include \"cstdint\"\n// #include <cstdint>\n"));
  EXPECT_TRUE(includes("int a;\n # include\t<cstdint>\n"));
  EXPECT_TRUE(includes_others(SourceUnit{.path = "a.hip", .text = "", .files = {{"own.h", "#include <cstdint>"}}}, {}));
  const TempFolder folder;
  std::ofstream(folder.path() / "theirs.h") << "\n";
  EXPECT_TRUE(includes("#include <theirs.h>"));
  BuildOptions options;
  options.include_dirs = {folder.path().string()};
  EXPECT_FALSE(includes("#include <theirs.h>", options));
}

TEST_F(HiprtcTest, FolderHeadersPrecedeBuiltIn) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() / "hip");
  std::ofstream(folder.path() / "hip/hip_fp16.h") << "#define FROM_THE_FOLDER 1\n";
  const std::string source = "#include <hip/hip_fp16.h>\nstatic_assert(FROM_THE_FOLDER == 1);\n" + std::string(kAddOne);
  EXPECT_FALSE(build(one_kernel(source)).ok());
  EXPECT_TRUE(build(one_kernel(source), {{"include_dirs", folder.path().string()}}).ok());
  EXPECT_TRUE(build(one_kernel(source), {{"compile_flags", "-I" + folder.path().string()}}).ok());
}

TEST_F(HiprtcTest, ProgramHeadersPrecedeBuiltIn) {
  ProgramBuilder builder = one_kernel("#include \"cuda_runtime.h\"\nstatic_assert(OWN == 1);\n" + std::string(kAddOne));
  builder.header("cuda_runtime.h", "#define OWN 1\n");
  EXPECT_TRUE(build(builder).ok());
}

// hiprtc refuses a header without content.
TEST_F(HiprtcTest, AcceptsEmptyHeaders) {
  ProgramBuilder builder = one_kernel("#include \"nothing.h\"\n" + std::string(kAddOne));
  builder.header("nothing.h", "");
  const Status status = build(builder);
  EXPECT_TRUE(status.ok()) << status.error().explain();
}

TEST_F(HiprtcTest, CodeLoadsOnlyOnItsArchitecture) {
  fake->set_devices({{.arch = "gfx1100"}});
  const auto adapter = loaded(one_kernel(kAddOne));  // for gfx90a
  EXPECT_THAT(adapter->prepare(0).error().message, HasSubstr("hipModuleLoadData failed with 209"));
}

}  // namespace
}  // namespace kmux::hip

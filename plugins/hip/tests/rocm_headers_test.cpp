// A complete ROCm: its Clang compiles with its own headers. The ROCm here is assembled from Debian's packages.
#include <filesystem>

#include "meta.h"
#include "needs.h"
#include "temp_folder.h"
#include "workbench.h"

namespace kmux::hip {
namespace {

namespace fs = std::filesystem;

class RocmHeadersTest : public WithClang {
 protected:
  void SetUp() override {
    WithClang::SetUp();
    if (IsSkipped()) return;
    const ClangToolchain clang = find_clang(host).value();
    if (!fs::exists("/usr/include/hip/hip_runtime.h")) GTEST_SKIP() << needs("libamdhip64-dev", "it is not installed");
    if (clang.device_library.empty()) GTEST_SKIP() << needs("rocm-device-libs", "it is not installed");
    // Clang finds its headers relative to its real path, so this is a script and not a link.
    fs::permissions(rocm.write("llvm/bin/clang++", "#!/bin/sh\nexec " + clang.program + " \"$@\"\n"),
                    fs::perms::owner_all);
    fs::create_symlink(clang.linker, rocm.path() / "llvm/bin/ld.lld");
    fs::create_directories(rocm.path() / "amdgcn");
    fs::create_directory_symlink(clang.device_library, rocm.path() / "amdgcn/bitcode");
    fs::create_directory(rocm.path() / "include");
    fs::create_directory_symlink("/usr/include/hip", rocm.path() / "include/hip");
    host.options["hip.rocm_path"] = rocm.path().string();
  }

  const TempFolder rocm;
};

TEST_F(RocmHeadersTest, AreUsedWithRocmClang) {
  EXPECT_EQ(find_clang(host).value().rocm, rocm.path().string());
  // The headers of device/ have no working printf, no float4 with operators, and no hip_complex.h.
  const std::string source =
      "#include <cstdint>\n#include <cmath>\n#include <hip/hip_complex.h>\n"
      "extern \"C\" __global__ void k(float* x, int n) {\n"
      "  float4 v = make_float4(1, 2, 3, 4) + make_float4(x[0], x[1], x[2], x[3]);\n"
      "  x[n] = abs(x[4]) + max(1.0, x[5]) + min(threadIdx.x, n) + __sinf(x[6]) + hipCabsf(make_float2(v.x, v.w));\n"
      "  half h = __float2half(x[7]);\n  x[8] = __half2float(h);\n  int32_t i = n;\n  printf(\"%d\", i);\n}\n";
  for (const char* const dialect : {"hip", "cuda"}) {
    const auto artifact = build(one_kernel(source, "k", dialect).build().value());
    ASSERT_TRUE(artifact.ok()) << artifact.error().explain();
    const Meta meta = parse_meta(*artifact->find(kMetaPart)).value();
    EXPECT_EQ(meta.compiler, (rocm.path() / "llvm/bin/clang++").string());
    EXPECT_THAT(meta.arguments, testing::Contains("--rocm-path=" + rocm.path().string()));
    EXPECT_THAT(meta.arguments, testing::Not(testing::Contains("-nogpuinc")));
  }
}

TEST_F(RocmHeadersTest, AreIncludedForPlainCuda) {
  const std::string source =
      "#include <cuda_runtime.h>\n#include <cstdint>\n"
      "extern \"C\" __global__ void k(float* x, int n) { x[n] = abs(x[0]) + __powf(x[1], x[2]) + __clzll(n); }\n";
  EXPECT_TRUE(build(one_kernel(source, "k", "cuda").build().value()).ok());
}

TEST_F(RocmHeadersTest, ArePartOfToolchainIdentity) {
  const Target target{"hip", "gfx90a", {}};
  EXPECT_THAT(backend.builder().toolchain(target, {}).value(), testing::HasSubstr("include/hip/hip_version.h"));
}

TEST_F(RocmHeadersTest, AreSkippedForIncompleteRocm) {
  fs::remove(rocm.path() / "include/hip");
  EXPECT_EQ(find_clang(host).value().rocm, "");
  EXPECT_TRUE(build(one_kernel(kAddOne).build().value()).ok());
}

// Another Clang may be too old for them, or too new.
TEST_F(RocmHeadersTest, AreNotUsedWithOtherClang) {
  FakeHost plain;
  const std::string other = find_clang(plain).value().program;
  host.options["hip.clang"] = other;
  EXPECT_EQ(find_clang(host).value().program, other);
  EXPECT_EQ(find_clang(host).value().rocm, "");
}

}  // namespace
}  // namespace kmux::hip

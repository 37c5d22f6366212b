// SPDX-License-Identifier: Apache-2.0
// Programs that require an architecture: what their sources see, and whose headers of TileLang and CUTLASS they read.
#include "template_headers.h"

#include <gmock/gmock.h>

#include "../../../tests/temp_folder.h"
#include "device_call.h"

namespace kmux::cpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Returns what `k`, a kernel that stores one number, stores if it requires `arch`.
Result<int> stored(const std::string& source, const std::string& arch, const std::string& folders = "",
                   const std::string& dialect = "cuda") {
  ProgramBuilder builder("sample");
  builder.pointer("y").variant(dialect).source("k.cu", source);
  if (!arch.empty()) builder.requires_arch(arch);
  builder.launch("k").grid({Expr(1)}).block({Expr(1)}).args({"y"});
  KMUX_ASSIGN(const Program program, builder.build());
  Options options = {{"tier", "fast"}};
  if (!folders.empty()) options["include_dirs"] = folders;
  KMUX_ASSIGN(LoadedKernel loaded, common_bench().load(program, options));
  int result = 0;
  KMUX_TRY(loaded({slot(static_cast<void*>(&result))}));
  return result;
}

std::string storing(const std::string& value, const std::string& before = "") {
  return before + "__global__ void k(int* y) { *y = " + value + "; }\n";
}

TEST(TemplateHeadersTest, SourcesSeeRequiredArchitecture) {
  const std::string arch = storing("__CUDA_ARCH__");
  EXPECT_EQ(stored(arch, "").value(), 700);
  EXPECT_EQ(stored(arch, "sm_80").value(), 800);
  EXPECT_EQ(stored(arch, "sm_90a").value(), 900);
  EXPECT_EQ(stored(arch, "sm_75").value(), 700);
  EXPECT_EQ(stored(storing("sizeof(KMUX_WAVEFRONT)"), "gfx942", "", "hip").value(), 4);
  const std::string version =
      storing("__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10 + (CUDA_VERSION > 12040)");
  EXPECT_EQ(stored(version, "").value(), 12040);
  EXPECT_EQ(stored(version, "sm_90").value(), 12081);
}

TEST(TemplateHeadersTest, Sm90aHasItsOwnMacros) {
  const std::string specific = R"(
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && __CUDA_ARCH_SPECIFIC__ == 900 && __CUDA_ARCH_FAMILY_SPECIFIC__ == 900
#define IS_SPECIFIC 1
#elif !defined(__CUDA_ARCH_FEAT_SM90_ALL) && !defined(__CUDA_ARCH_SPECIFIC__)
#define IS_SPECIFIC 0
#endif
#ifdef __CUDA_ARCH_LIST__
#define LIST __CUDA_ARCH_LIST__
#else
#define LIST 1
#endif
)" + storing("IS_SPECIFIC + LIST");
  EXPECT_EQ(stored(specific, "sm_90a").value(), 901);
  EXPECT_EQ(stored(specific, "sm_90").value(), 900);
  EXPECT_EQ(stored(specific, "").value(), 1);
}

// A folder with other headers in place of TileLang's and CUTLASS's.
class OwnTemplateHeadersTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("tl_templates/cuda/common.h", "#pragma once\n#define OF_TILELANG 1\n");
    folder_.write("tl_templates/cuda/nvrtc_std.h", "#error for NVRTC\n");
    folder_.write(
        "tl_templates/cuda/reduce.h",
        "#include <tl_templates/cuda/common.h>\nnamespace tl { __device__ int only_there() { return 5; } }\n");
    folder_.write("tl_templates/cuda/copy.h", "#include \"common.h\"\n#include <cute/tensor.hpp>\n");
    folder_.write("cutlass/cutlass.h", "#pragma once\n#define OF_CUTLASS 2\n");
    folder_.write("cute/tensor.hpp", "#pragma once\n#include <cutlass/cutlass.h>\n");
  }
  std::string folder() const { return folder_.path().string(); }
  TempFolder folder_;
};

TEST_F(OwnTemplateHeadersTest, AreReadWhereKmuxHasNoReplacement) {
  const std::string source = storing("OF_TILELANG + OF_CUTLASS",
                                     "#include <tl_templates/cuda/nvrtc_std.h>\n#include <tl_templates/cuda/copy.h>\n");
  EXPECT_EQ(stored(source, "sm_90a", folder()).value(), 3);
  EXPECT_EQ(stored(source, "sm_80", folder()).value(), 3);
  const auto for_700 = stored(source, "", folder());
  ASSERT_FALSE(for_700.ok());
  EXPECT_EQ(for_700.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(for_700.error().message, HasSubstr("<tl_templates/cuda/copy.h> is not for this processor"));
  const auto without = stored(source, "sm_90a");
  ASSERT_FALSE(without.ok());
  EXPECT_EQ(without.error().code, ErrorCode::kUnsupported);
}

TEST_F(OwnTemplateHeadersTest, AreReadWhereReplacementsDoNotSuffice) {
  const std::string includes = "#include <tl_templates/cuda/reduce.h>\n";
  EXPECT_EQ(stored(storing("tl::only_there()", includes), "sm_90a", folder()).value(), 5);
  EXPECT_EQ(stored(storing("tl::SumOp()(3, 4)", includes), "sm_90a", folder()).value(), 7);
  EXPECT_EQ(stored(storing("tl::only_there()", includes), "", folder()).error().code, ErrorCode::kCompileFailed);
  const auto wrong = stored(storing("tl::nowhere()", includes), "sm_90a", folder());
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(wrong.error().message, AllOf(HasSubstr("k.cu:2"), HasSubstr("nowhere")));
}

// Also where a header of the caller's folders alone includes them.
TEST_F(OwnTemplateHeadersTest, OfCutlassAreReadWithoutTilelang) {
  std::filesystem::remove(folder_.path() / "tl_templates/cuda/common.h");
  folder_.write("own/gemm.h", "#include <cute/tensor.hpp>\n");
  const std::string source = storing("OF_CUTLASS", "#include <own/gemm.h>\n");
  EXPECT_EQ(stored(source, "sm_90a", folder()).value(), 2);
  EXPECT_EQ(stored(source, "", folder()).error().code, ErrorCode::kUnsupported);
}

TEST_F(OwnTemplateHeadersTest, OfTilelangNeedCutlass) {
  std::filesystem::remove(folder_.path() / "cutlass/cutlass.h");
  const std::string source = storing("OF_TILELANG", "#include <tl_templates/cuda/copy.h>\n");
  EXPECT_EQ(stored(source, "sm_90a", folder()).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace kmux::cpu

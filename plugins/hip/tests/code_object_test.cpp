#include "code_object.h"

#include <cstring>
#include <elf.h>

#include "meta.h"
#include "workbench.h"

namespace kmux::hip {
namespace {

using testing::HasSubstr;

class CodeObjectsTest : public WithClang {
 protected:
  // Returns Clang's code object of `source`.
  std::string code_of(const std::string& source, const std::string& arch) {
    return *build(one_kernel(source).build().value(), {}, "hip:" + arch).value().find(kCodePart);
  }
  CodeObject read(const std::string& source, const std::string& arch) {
    return read_code_object(code_of(source, arch)).value().value();
  }
};

constexpr const char* kTiles =
    "extern \"C\" __global__ void __launch_bounds__(256) k(float* x, int n) {\n"
    "  __shared__ float tile[320];\n"
    "  tile[threadIdx.x] = x[threadIdx.x];\n"
    "  __syncthreads();\n"
    "  if (threadIdx.x < n) x[threadIdx.x] = tile[255 - threadIdx.x];\n"
    "}\n";

TEST_F(CodeObjectsTest, DescribeKernels) {
  for (const char* arch : {"gfx90a", "gfx942", "gfx1100", "gfx1201"}) {
    const CodeObject code = read(kTiles, arch);
    EXPECT_EQ(code.arch, arch);
    ASSERT_EQ(code.kernels.size(), 1U) << arch;
    const CodeKernel& kernel = code.kernels[0];
    EXPECT_EQ(kernel.name, "k");
    const std::vector<CodeKernel::Argument> expected = {{0, 8, true}, {8, 4, false}};
    EXPECT_EQ(kernel.arguments, expected) << "hidden ones are left out";
    EXPECT_EQ(kernel.static_smem_bytes, 1280U);
    EXPECT_EQ(kernel.max_threads, 256U);
    EXPECT_EQ(kernel.wavefront_size, arch[3] == '9' ? 64U : 32U);
  }
}

TEST_F(CodeObjectsTest, OtherMachineYieldsNoCodeObject) {
  std::string code = code_of(kAddOne, "gfx90a");
  code[offsetof(Elf64_Ehdr, e_machine)] = EM_X86_64;
  EXPECT_EQ(read_code_object(code).value(), std::nullopt);
}

TEST_F(CodeObjectsTest, CorruptedCodeDoesNotCrash) {
  const std::string code = code_of(kAddOne, "gfx90a");
  for (std::size_t size = 0; size < code.size(); size += 7) {
    const auto read = read_code_object(code.substr(0, size));
    EXPECT_TRUE(read.ok() || read.error().code == ErrorCode::kInvalidArgument) << size;
  }
  for (std::size_t at = 0; at < 2048 && at < code.size(); ++at) {
    std::string damaged = code;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    static_cast<void>(read_code_object(damaged).ok());
  }
}

TEST(CodeObjectTest, RejectsInvalidBytes) {
  const Error error = read_code_object("no code").error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("not a 64-bit ELF file"));
}

TEST(CodeObjectTest, FindsKernelsBySourceNames) {
  const CodeObject code{"gfx90a", {{"plain"}, {"_Z5scaleIfEvPf"}, {"_ZN2ns4twinEPf"}, {"_Z4twinPf"}, {"_Z4twinPd"}}};
  EXPECT_EQ(find_kernel(code, "plain").value()->name, "plain");
  EXPECT_EQ(find_kernel(code, "scale<float>").value()->name, "_Z5scaleIfEvPf");
  EXPECT_EQ(find_kernel(code, "ns::twin").value()->name, "_ZN2ns4twinEPf");
  EXPECT_THAT(find_kernel(code, "twin").error().message,
              HasSubstr("kernel \"twin\" is in the compiled code more than once"));
  EXPECT_THAT(find_kernel(code, "absent").error().message,
              HasSubstr("the code has plain, void scale<float>(float*) = _Z5scaleIfEvPf"));
}

}  // namespace
}  // namespace kmux::hip

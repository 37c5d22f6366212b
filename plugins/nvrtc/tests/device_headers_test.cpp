#include "device_headers.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/meta_reader.h"

#include "temp_folder.h"
#include "workbench.h"

namespace kmux::nvrtc {
namespace {

Variant variant_of(const std::string& text) { return {.dialect = "cuda", .sources = {{"k.cu", text}}}; }

const File* find(const DeviceHeaders& headers, std::string_view name) {
  const auto found = std::ranges::find(headers.files, name, &File::path);
  return found == headers.files.end() ? nullptr : &*found;
}

std::string prelude_of(const std::string& text) {
  const DeviceHeaders headers = device_headers(variant_of(text), {}, {});
  return headers.preludes.empty() ? "" : find(headers, headers.preludes.front())->content;
}

TEST(DeviceHeadersTest, AreEmptyWithoutIncludes) {
  const DeviceHeaders headers = device_headers(variant_of(kAddOne), {}, {});
  EXPECT_THAT(headers.files, testing::IsEmpty());
  EXPECT_THAT(headers.preludes, testing::IsEmpty());
}

TEST(DeviceHeadersTest, CoverCAndCppNames) {
  const DeviceHeaders headers = device_headers(variant_of("#include <cstdint>\n"), {}, {});
  for (const char* name : {"stdint.h", "cstdint",    "float.h",  "cfloat",   "limits.h",    "climits",  "math.h",
                           "cmath",    "stdio.h",    "cstdio",   "stdlib.h", "cstdlib",     "string.h", "cstring",
                           "assert.h", "cassert",    "stddef.h", "cstddef",  "algorithm",   "limits",   "type_traits",
                           "utility",  "functional", "numeric",  "array",    "sys/types.h", "stdbool.h"}) {
    EXPECT_NE(find(headers, name), nullptr) << name;
  }
  EXPECT_EQ(find(headers, "vector"), nullptr) << "kernels have no memory to grow in";
}

TEST(DeviceHeadersTest, YieldToUserFolders) {
  const TempFolder folder;
  folder.write("math.h", "");
  const DeviceHeaders headers = device_headers(variant_of("#include <math.h>\n"), {folder.path()}, {});
  EXPECT_EQ(find(headers, "math.h"), nullptr);
  EXPECT_NE(find(headers, "stdint.h"), nullptr);
}

TEST(DeviceHeadersTest, YieldToToolkitHeaders) {
  const TempFolder folder;
  folder.write("cuda_runtime.h", "");
  folder.write("cuda/std/tuple", "");
  const Variant variant = variant_of("#include <cuda_runtime.h>\n");
  const DeviceHeaders with = device_headers(variant, {}, {folder.path()});
  EXPECT_EQ(find(with, "cuda_runtime.h"), nullptr);
  EXPECT_NE(find(with, "device_functions.h"), nullptr) << "newer toolkits lack it";
  EXPECT_THAT(find(with, "tuple")->content, testing::HasSubstr("#include <cuda/std/tuple>"));
  const DeviceHeaders without = device_headers(variant, {}, {});
  EXPECT_NE(find(without, "cuda_runtime.h"), nullptr);
  EXPECT_EQ(find(without, "tuple"), nullptr);
}

TEST(DeviceHeadersTest, ProvideNvccPreludeNamesOnDemand) {
  EXPECT_THAT(prelude_of("__global__ void k(uint* x) { x[0] = INT_MAX; }"),
              testing::AllOf(testing::HasSubstr("typedef unsigned int uint;"),
                             testing::HasSubstr("#include <limits.h>"), testing::Not(testing::HasSubstr("math.h"))));
  EXPECT_THAT(prelude_of("__global__ void k(float* x) { x[0] = std::sqrt(M_PI); }"),
              testing::HasSubstr("#include <cmath>"));
  EXPECT_EQ(
      prelude_of("typedef unsigned long uint;\n#define INT_MAX 4\n__global__ void k(uint* x) { x[0] = INT_MAX; }"), "")
      << "the source has its own";
  for (const char* const used :
       {"#define TURN (2 * M_PI)\n", "#define\tTURN M_PI\n", "typedef decltype(M_PI) Number;\n"})
    EXPECT_THAT(prelude_of(std::string(used) + "__global__ void k() {}"), testing::HasSubstr("#include <math.h>"))
        << used;
  for (const char* const own :
       {"#define M_PI 3\n", "#define\t M_PI\t3\n", "typedef float M_PI;\n", "using M_PI = int;\n"})
    EXPECT_EQ(prelude_of(std::string(own) + "__global__ void k() {}"), "") << own;
  Variant variant = variant_of("__global__ void k(uint* x) {}");
  variant.settings.preludes = {"mine.h"};
  EXPECT_THAT(device_headers(variant, {}, {}).preludes, testing::IsEmpty()) << "made for NVRTC";
}

class BuiltInHeadersTest : public NvrtcTest {};

TEST_F(BuiltInHeadersTest, CompileWithoutToolkit) {
  const std::string text =
      "#include <cstdint>\n#include <float.h>\n#include <cmath>\n#include <algorithm>\n#include <limits>\n#include "
      "<type_traits>\n"
      "#include <cstdio>\n#include <assert.h>\n#include <cstring>\n"
      "static_assert(std::is_same<std::int32_t, int>::value && std::numeric_limits<int>::max() == INT32_MAX && FLT_MAX "
      "> 1);\n"
      "extern \"C\" __global__ void k(float* x) { assert(x); x[0] = std::max(std::sqrt(x[0]), float(pow(2, 3))); "
      "printf(\"\"); }\n";
  EXPECT_EQ(failure(one_kernel(text).build().value()).message, "it worked");
}

TEST_F(BuiltInHeadersTest, YieldToProgramHeaders) {
  ProgramBuilder builder = one_kernel("#include <math.h>\nextern \"C\" __global__ void k(float* x) { x[0] = MINE; }\n");
  builder.header("math.h", "#define MINE 4\n");
  EXPECT_EQ(failure(builder.build().value()).message, "it worked");
  const TempFolder folder;
  folder.write("math.h", "#define MINE 5\n");
  const Program program =
      one_kernel("#include <math.h>\nextern \"C\" __global__ void k(float* x) { x[0] = MINE; }\n").build().value();
  EXPECT_EQ(failure(program, {{"include_dirs", folder.path()}}).message, "it worked");
}

TEST_F(BuiltInHeadersTest, RecordPotentialShadowsAsDependencies) {
  const TempFolder folder;
  const Program program = one_kernel(std::string("#include <math.h>\n") + kAddOne).build().value();
  const auto artifact = build(program, {{"include_dirs", folder.path()}});
  ASSERT_TRUE(artifact.ok()) << artifact.error().message;
  const std::string deps = *artifact->find(std::string(kDependenciesPart));
  EXPECT_THAT(deps, testing::HasSubstr((folder.path() / "math.h").string()));
}

TEST_F(BuiltInHeadersTest, HostCodeBesideKernelIsRemoved) {
  const std::string text =
      "#include <vector>\n#include <iostream>\n#include <cstdint>\n"
      "__global__ void k(float* x) { x[threadIdx.x] = int32_t(1); }\n"
      "int main() { float* x; cudaMalloc(&x, 4); k<<<1, 1>>>(x); std::cout << \"done\"; }\n";
  EXPECT_EQ(failure(one_kernel(text).build().value()).message, "it worked");
}

TEST_F(BuiltInHeadersTest, FeaturesMissingFromNvrtcAreUnsupported) {
  const Error launch =
      failure(one_kernel("__global__ void c() {}\nextern \"C\" __global__ void k(float* x) { c<<<1, 1>>>(); }\n")
                  .build()
                  .value());
  EXPECT_EQ(launch.code, ErrorCode::kUnsupported);
  EXPECT_THAT(launch.message, testing::HasSubstr("k.cu:2: dynamic parallelism"));
  const Error header = failure(one_kernel(std::string("#include <elf.h>\n") + kAddOne).build().value());
  EXPECT_EQ(header.code, ErrorCode::kUnsupported) << "the host's compiler has it";
  EXPECT_THAT(header.message, testing::HasSubstr("cannot open source file \"elf.h\""));
  const Error host =
      failure(one_kernel(std::string(kAddOne) + "__device__ Missing m;\nint main() {}\n").build().value());
  EXPECT_EQ(host.code, ErrorCode::kUnsupported);
  EXPECT_THAT(host.message, testing::HasSubstr("backend cuda"));
}

TEST_F(BuiltInHeadersTest, CcclHeadersWithHostCodeAreUnsupported) {
  const std::string sort = "#include <thrust/execution_policy.h>\n#include <thrust/sort.h>\n";
  for (const std::string& text :
       {std::string("#include <cub/cub.cuh>\nextern \"C\" __global__ void k(float* x) {\n"
                    "  __shared__ typename cub::BlockReduce<float, 64>::TempStorage t;\n"
                    "  x[0] = cub::BlockReduce<float, 64>(t).Sum(x[threadIdx.x]);\n}\n"),
        sort + "extern \"C\" __global__ void k(float* x) { thrust::sort(thrust::seq, x, x + 4); }\n"}) {
    const Error error = failure(one_kernel(text).build().value());
    EXPECT_EQ(error.code, ErrorCode::kUnsupported) << text;
    EXPECT_THAT(error.message, testing::AllOf(testing::HasSubstr("NVRTC cannot read \"/"),
                                              testing::HasSubstr("nvcc (backend cuda) can. Headers of CCCL for")));
  }
}

TEST_F(BuiltInHeadersTest, CcclHeadersOfKernelsAreAccepted) {
  const std::string sum =
      "#include <cub/block/block_reduce.cuh>\nextern \"C\" __global__ void k(float* x) {\n"
      "  __shared__ typename cub::BlockReduce<float, 64>::TempStorage t;\n"
      "  x[0] = cub::BlockReduce<float, THREADS>(t).Sum(x[threadIdx.x]);\n}\n";
  const auto with_threads = [&](const char* threads) { return "#define THREADS " + std::string(threads) + "\n" + sum; };
  EXPECT_EQ(failure(one_kernel(with_threads("64")).build().value()).message, "it worked");
  // An error that the program causes in a template of CCCL is not a lack of NVRTC's.
  EXPECT_EQ(failure(one_kernel(with_threads("-1")).build().value()).code, ErrorCode::kCompileFailed);
}

TEST_F(BuiltInHeadersTest, ErrorInSourceWithOnlyHostHeadersIsCompileError) {
  const Error error =
      failure(one_kernel("#include <vector>\n" + std::string(kAddOne) + "__device__ Missing m;\n").build().value());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, testing::HasSubstr("k.cu(3): error: identifier \"Missing\""));
}

TEST_F(BuiltInHeadersTest, UnknownHeaderIsCompileError) {
  const Error error = failure(one_kernel(std::string("#include <no_such_header>\n") + kAddOne).build().value());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, testing::AllOf(testing::HasSubstr("\"no_such_header\""),
                                            testing::HasSubstr("give the program a header of that name")));
}

}  // namespace
}  // namespace kmux::nvrtc

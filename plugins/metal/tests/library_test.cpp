#include "library.h"

#include "workbench.h"

namespace kmux::metal {
namespace {

using testing::HasSubstr;

class LibraryTest : public testing::Test {
 protected:
  ~LibraryTest() override {
    gpu.reset();
    EXPECT_THAT(fake.complaints(), testing::IsEmpty());
  }
  Error failure(const std::string& code, const std::string& kernel = "k", bool is_library = false) {
    auto loaded = load_kernels(*gpu, {code, is_library, options}, {kernel});
    return loaded ? make_error(ErrorCode::kOk, "it worked") : std::move(loaded).error();
  }
  FakeMetal fake = FakeMetal::load();
  std::shared_ptr<Gpu> gpu = Gpu::open(FakeMetal::library()).value();
  BuildOptions options;
};

TEST_F(LibraryTest, ReportsPipelineLimits) {
  const auto kernels = load_kernels(*gpu,
                                    {"[[kernel, max_total_threads_per_threadgroup(96)]] void k(device float* x "
                                     "[[buffer(0)]]) { threadgroup float t[12]; t[0] = 1; *x = t[0]; }\n",
                                     false, options},
                                    {"k"});
  ASSERT_TRUE(kernels.ok()) << kernels.error().explain();
  EXPECT_EQ(kernels->at(0).max_threads, 96U);
  EXPECT_EQ(kernels->at(0).threadgroup_memory, 48U);
}

TEST_F(LibraryTest, ReportsCauseOfEveryFailure) {
  EXPECT_THAT(failure("kernel void k(").explain(), HasSubstr("Compilation failed"));
  EXPECT_THAT(failure(kAddOne, "absent").message, HasSubstr("\"absent\" is not in the code"));
  EXPECT_THAT(failure("MTLBkernel void k(", "k", true).message, HasSubstr("cannot open the library"));
  fake.fail("newComputePipelineStateWithFunction:error:", "too many registers");
  EXPECT_THAT(failure(kAddOne).explain(), HasSubstr("too many registers"));
}

TEST_F(LibraryTest, ReportsMissingFunctionWithFunctionConstants) {
  options.function_constants = {"0:int=1"};
  EXPECT_THAT(failure(kAddOne, "absent").explain(), HasSubstr("there is no function absent"));
}

TEST_F(LibraryTest, PassesOptionsToCompiler) {
  options.fast_math = true;
  options.language_version = 0x30001;
  fake.messages();
  EXPECT_EQ(failure(kAddOne).code, ErrorCode::kOk);
  const auto messages = fake.messages();
  EXPECT_THAT(messages, testing::Contains("MTLCompileOptions setFastMathEnabled:"));
  EXPECT_THAT(messages, testing::Contains("MTLCompileOptions setLanguageVersion:"));
}

}  // namespace
}  // namespace kmux::metal

#include "name_forms.h"

#include <barrier>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"

#include "fake_cuda.h"
#include "needs.h"
#include "sizes.h"
#include "temp_folder.h"

namespace kmux::strangers {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The fake driver has the kernels that the code has, and no others.
class NameFormsTest : public testing::TestWithParam<NameWay> {
 protected:
  static Runtime& runtime() {
    [[maybe_unused]] static const FakeCuda fake = FakeCuda::load();
    static const auto& folder = *new const TempFolder();
    static const Shared<Runtime> runtime = open_runtime(folder.path().string()).value();
    return *runtime;
  }
};

TEST_P(NameFormsTest, ResolveToTheRightKernels) {
  const NameWay& way = GetParam();
  if (const auto reason = why_not(runtime(), way.backend, way.runs)) {
    GTEST_SKIP() << needs(compiler_of(way.backend), *reason);
  }
  const auto forms = name_forms();
  ASSERT_TRUE(forms.ok()) << forms.error().explain();
  for (const NameForm& form : *forms) {
    const Status status = way.check(runtime(), form);
    EXPECT_TRUE(status.ok()) << form.name << ": " << status.error().explain();
  }
}

// In the small size backend cpu's and NVRTC's names alone.
std::vector<NameWay> ways_of_size() {
  std::vector<NameWay> ways = name_ways(Devices::kFake, false);
  if (has_all_tests()) return ways;
  std::erase_if(ways,
                [](const NameWay& way) { return way.name != "cpu launched" && way.name != "nvrtc for cuda:sm_90"; });
  return ways;
}

INSTANTIATE_TEST_SUITE_P(All, NameFormsTest, testing::ValuesIn(ways_of_size()), [](const auto& way) {
  std::string name = way.param.name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

// Each thread waits until another form is checked as well.
TEST(NameWaysTest, CheckFormsConcurrentlyAndReportInOrder) {
  std::vector<NameForm> forms(4);
  for (std::size_t i = 0; i < forms.size(); ++i) forms[i].name = std::to_string(i);
  const auto runtime = open_runtime(TempFolder().path().string()).value();
  std::barrier two(2);
  const NameWay way{"", "", false, [&](Runtime&, const NameForm& form) -> Status {
                      two.arrive_and_wait();
                      return make_error(ErrorCode::kInternal, form.name);
                    }};
  const std::vector<Status> results = check_all(*runtime, way, forms, 2);
  ASSERT_EQ(results.size(), forms.size());
  for (std::size_t i = 0; i < forms.size(); ++i) EXPECT_EQ(results[i].error().message, forms[i].name);
}

constexpr const char* kOverloads =
    "__global__ void twice(float* x) { x[0] *= 2; }\n__global__ void twice(double* x) { x[0] *= 2; }\n"
    "namespace nn {\n__global__ void norm(float* x) { x[0] = 1; }\n__global__ void norm(double* x) { x[0] = 1; }\n}\n"
    "template <class T> __global__ void wrong(T* x) {\n  x->f = 3;\n}\n";

// What a backend, and the target that it compiles for, say of a name.
class KernelChoiceTest : public NameFormsTest {
 protected:
  static Error failure(const std::string& kernel, const NameWay& way) {
    ProgramBuilder builder("sample");
    builder.output("x", dtype::kFloat32, {32}).variant("cuda").source("k.cu", kOverloads);
    builder.launch(kernel).grid({1}).block({32}).args({"x"});
    CompileOptions options{.target = way.name, .execution_backend = way.backend, .use_cache = false};
    if (way.backend == "hip") options.options["engine"] = "clang";
    const auto built = build(runtime(), builder.build().value(), options);
    return built ? make_error(ErrorCode::kOk, "it worked") : built.error();
  }
};

TEST_P(KernelChoiceTest, ListsCandidatesForUnresolvedName) {
  const NameWay& way = GetParam();
  if (const auto reason = why_not(runtime(), way.backend, false)) {
    GTEST_SKIP() << needs(compiler_of(way.backend), *reason);
  }
  const Error plain = failure("twice", way);
  EXPECT_EQ(plain.code, ErrorCode::kCompileFailed) << plain.message;
  EXPECT_THAT(plain.message, AllOf(HasSubstr("twice(float*)"), HasSubstr("twice(double*)"), HasSubstr("in full")));
  const Error scoped = failure("nn::norm", way);
  EXPECT_EQ(scoped.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(scoped.message,
              AllOf(HasSubstr("nn::norm(float*)"), HasSubstr("nn::norm(double*)"), HasSubstr("in full")));
  EXPECT_THAT(std::string(scoped.note("log").value_or("")), HasSubstr("norm")) << "the compiler's own words";
  EXPECT_THAT(failure("twice(int*)", way).message, AllOf(HasSubstr("twice(float*)"), HasSubstr("twice(double*)")));
  EXPECT_THAT(failure("nix::norm<3>", way).message, HasSubstr("\"nix::norm<3>\""));
  EXPECT_THAT(failure("wrong<float>", way).message, HasSubstr("k.cu"))
      << "an error in what is instantiated stays itself";
}

// In the small size without the compilers that are programs.
std::vector<NameWay> choices_of_size() {
  std::vector<NameWay> ways = {NameWay{"cpu", "cpu", false, {}}, NameWay{"cuda:sm_90", "nvrtc", false, {}}};
  if (has_all_tests()) ways.insert(ways.end(), {{"cuda:sm_90", "cuda", false, {}}, {"hip:gfx90a", "hip", false, {}}});
  return ways;
}

INSTANTIATE_TEST_SUITE_P(All, KernelChoiceTest, testing::ValuesIn(choices_of_size()),
                         [](const auto& way) { return way.param.backend; });

}  // namespace
}  // namespace kmux::strangers

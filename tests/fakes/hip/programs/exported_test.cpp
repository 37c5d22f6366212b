// Code that TileLang generated for HIP and for C, on the same inputs: the results agree.
#include <filesystem>

#include <gmock/gmock.h>

#include "kmux/bench/binding.h"
#include "kmux/bench/call_arguments.h"
#include "kmux/bench/comparison.h"
#include "kmux/compile.h"
#include "kmux/program.h"

#include "needs.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

class ExportedForHipTest : public testing::TestWithParam<const char*> {
 protected:
  static std::vector<Tensor> results_of(const Program& program, const std::string& backend,
                                        const std::string& headers) {
    CompileOptions options{.execution_backend = backend};
    options.include_dirs = {headers};
    const Kernel kernel = compile(program, options).value();
    bench::Binding binding(program);
    bench::Inputs inputs = bench::Inputs::parse(program, {"*=random:1"}).value();
    inputs.load(binding).value();
    const auto arguments = bench::CallArguments::make(program, inputs, binding, kernel.device()).value();
    kernel.launch(arguments.args()).value();
    kernel.device().synchronize().value();
    return arguments.on_host().value();
  }
};

TEST_P(ExportedForHipTest, MatchesCpuResults) {
  if (!fs::exists(fs::path(KMUX_TEST_TILELANG_HEADERS) / "tl_templates/cpp/common.h"))
    GTEST_SKIP() << needs("TileLang's headers", KMUX_TEST_TILELANG_HEADERS "; ./kmux.sh test fetches them");
  const std::string name = GetParam();
  const Program program =
      load_program(fs::path(KMUX_TEST_DATA_DIR) / "tilelang" / name / (name + ".kmux.json")).value();
  const std::vector<Tensor> expected = results_of(program, "cpu", KMUX_TEST_TILELANG_HEADERS);
  const std::vector<Tensor> actual = results_of(program, "hip", KMUX_TEST_HIP_TILELANG);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!expected[i]) continue;
    const auto comparison = compare(actual[i], expected[i], bench::default_tolerance(expected[i].dtype())).value();
    EXPECT_GT(comparison.compared, 0);
    EXPECT_TRUE(comparison.ok()) << program.signature.params[i].name << ": " << comparison.text();
  }
}

constexpr const char* kPrograms[] = {"scale",    "affine",       "add_half",  "row_sum",          "softmax",
                                     "extremes", "unpack_bytes", "pack_rows", "copy_without_bias"};

INSTANTIATE_TEST_SUITE_P(Programs, ExportedForHipTest, testing::ValuesIn(kPrograms),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace kmux

// Programs and sources on the standard input: "-".
#include "kmux/npy.h"

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

constexpr int kWrongInput = 3;
constexpr const char* kDoublingSource =
    "void scale(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = 2 * x[i]; }\n";
constexpr const char* kDoublingText =
    "kernel scale(x: f32[n], out y: f32[n])\n  example n = 8\n  launch scale(x, y, n)\n";

const auto kDoubled = ElementsAre(0, 2, 4, 6, 8, 10, 12, 14);

/// Returns the lines of a text as the comment of a source.
std::string commented(std::string text) {
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) text.insert(at, "//! ");
  return "//! kmux\n" + text;
}

class CliInputTest : public testing::Test {
 protected:
  /// Returns the program's output for the numbers 0 to 7.
  std::vector<float> output_of(const std::string& input) const {
    const ProcessResult result = session_.pipe(input, {"run", "-", "--in", "x=x8.npy", "--out", "y=y.npy", "--force"});
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    const Tensor y = load_npy(session_.folder() / "y.npy").value();
    return {y.data_as<float>(), y.data_as<float>() + y.element_count()};
  }
  CliSession session_;
};

TEST_F(CliInputTest, RunsSourceWithEmbeddedProgram) {
  EXPECT_THAT(output_of(commented(kDoublingText) + kDoublingSource), kDoubled);
}

TEST_F(CliInputTest, RunsTextAndJsonWithFilesInFolder) {
  session_.write("scale.c", kDoublingSource);
  session_.write("scale.kmux",
                 "kernel scale(x: f32[n], out y: f32[n])\n  sources \"scale.c\"\n  launch scale(x, y, n)\n");
  const ProcessResult text = session_.run({"show", "scale.kmux"});
  const ProcessResult document = session_.run({"show", "scale.kmux", "--json"});
  EXPECT_THAT(output_of(text.standard_output), kDoubled);
  EXPECT_THAT(output_of(document.standard_output), kDoubled);
}

TEST_F(CliInputTest, GeneratesProgramAndRunsIt) {
  const std::string source = "__global__ void twice(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }\n";
  const ProcessResult begun = session_.pipe(source, {"new", "-", "--write"});
  EXPECT_EQ(begun.exit_code, 0) << begun.standard_error;
  EXPECT_THAT(begun.standard_output, AllOf(HasSubstr("kernel twice("), HasSubstr(source)));
  const ProcessResult ran = session_.pipe(begun.standard_output, {"run", "-", "--set", "n=8", "--in", "x=ones"});
  EXPECT_EQ(ran.exit_code, 0) << ran.standard_error;
  EXPECT_THAT(session_.pipe(begun.standard_output, {"new", "-"}).standard_error, HasSubstr("`kmux run -` runs it"));
}

TEST_F(CliInputTest, NamesStandardInputInErrors) {
  EXPECT_THAT(session_.pipe("", {"run", "-"}).standard_error, HasSubstr("the standard input is empty"));
  const ProcessResult wrong = session_.pipe("kernel f(x: f33[n])\n", {"run", "-"});
  EXPECT_EQ(wrong.exit_code, kWrongInput);
  EXPECT_THAT(wrong.standard_error, HasSubstr("standard input:1:"));
  EXPECT_THAT(session_.pipe(commented(kDoublingText) + kDoublingSource, {"pack", "-"}).standard_error,
              HasSubstr("Give one with -o"));
  EXPECT_THAT(session_.pipe(commented(kDoublingText) + kDoublingSource, {"compile", "-", "-"}).standard_error,
              HasSubstr("the standard input is empty"));
}

}  // namespace
}  // namespace kmux::test

// `kmux run` of a kernel with missing arguments: made-up values and their messages, --set, and --time.
#include "kmux/complex.h"
#include "kmux/json.h"
#include "kmux/npy.h"

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

using Words = std::vector<std::string>;

constexpr int kBadValue = 3;

std::string saxpy(const std::string& known) {
  return "//! kmux\n//! kernel saxpy(a: f32, x: f32[n: i32], inout y: f32[n])\n" + known +
         "//!   launch saxpy<<<ceildiv(n, 256), 256>>>(a, x, y, n)\n"
         "__global__ void saxpy(float a, const float* x, float* y, int n) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] += a * x[i];\n}\n";
}

class CliValuesTest : public testing::Test {
 protected:
  CliValuesTest() {
    session_.write("saxpy.cu", saxpy("//!   example n = 1000, a = 1.5\n//!   flops 2 * n\n"));
    session_.write("bare.cu", saxpy(""));
  }
  ProcessResult run(const Words& more) const {
    Words words = {"run", more[0], "--backend", "cpu"};
    words.insert(words.end(), more.begin() + 1, more.end());
    return session_.run(words);
  }
  CliSession session_;
};

TEST_F(CliValuesTest, GeneratesMissingInputsAndReportsThem) {
  const ProcessResult all = run({"saxpy.cu", "--out", "y=y.npy"});
  EXPECT_EQ(all.exit_code, 0) << all.standard_error;
  EXPECT_EQ(
      all.standard_error,
      "kmux: note: made up: x=random:1, y=random:2; examples of the program: a = 1.5, n = 1000. Give your own with "
      "--in x=FILE.npy and --set n=VALUE.\n");
  EXPECT_THAT(all.standard_output, AllOf(HasSubstr("  y  float32[1000]\n"), Not(HasSubstr("example"))));
  // The values in the message must reproduce the result.
  const ProcessResult same = run({"saxpy.cu", "--in", "x=random:1", "--in", "y=random:2", "--check", "y=y.npy"});
  EXPECT_EQ(same.exit_code, 0) << same.standard_output;
  EXPECT_EQ(same.standard_error, "");
  EXPECT_THAT(same.standard_output, HasSubstr("with the program's example values: a = 1.5, n = 1000\n"));
  const ProcessResult other = run({"saxpy.cu", "--in", "x=random:2", "--in", "y=random:1", "--check", "y=y.npy"});
  EXPECT_EQ(other.exit_code, 1);
}

TEST_F(CliValuesTest, GeneratesRemainingInputsReproducibly) {
  const ProcessResult all = run({"saxpy.cu", "--set", "n=100", "--out", "y=y.npy"});
  const ProcessResult x = run({"saxpy.cu", "--in", "x=random:1", "--set", "n=100", "--check", "y=y.npy"});
  EXPECT_EQ(x.exit_code, 0) << all.standard_error << x.standard_output << x.standard_error;
  EXPECT_THAT(x.standard_error,
              HasSubstr("made up: y=random:2; examples of the program: a = 1.5. Give your own with --in y="));
}

TEST_F(CliValuesTest, SetOptionAcceptsSymbolsAndScalars) {
  const ProcessResult set = run({"bare.cu", "--set", "n=8", "-s", "a=2", "--out", "y=y.npy", "--out", "x=x.npy"});
  EXPECT_EQ(set.exit_code, 0) << set.standard_error;
  EXPECT_THAT(set.standard_error, AllOf(HasSubstr("made up: x=random:1, y=random:2. Give"), Not(HasSubstr("--set"))));
  EXPECT_THAT(set.standard_output, HasSubstr("float32[8]"));
  const ProcessResult ones = run({"bare.cu", "--in", "*=ones", "--set", "n=8", "-s", "a=2", "--out", "y=ones.npy"});
  EXPECT_EQ(ones.standard_error, "");
  EXPECT_EQ(load_npy(session_.folder() / "ones.npy")->data_as<float>()[7], 3);
  EXPECT_EQ(run({"saxpy.cu", "--set", "n=0"}).exit_code, 0);
}

TEST_F(CliValuesTest, SetOptionAcceptsComplexNumbers) {
  session_.write("set.cu",
                 "//! kmux\n//! kernel set(a: complex64, out y: f32[2])\n//!   launch set<<<1, 1>>>(a, y)\n"
                 "__global__ void set(float2 a, float* y) { y[0] = a.x; y[1] = a.y; }\n");
  const auto set = [&](const std::string& text) {
    const ProcessResult result = run({"set.cu", "--set", "a=" + text, "--out", "y=y.npy"});
    EXPECT_EQ(result.exit_code, 0) << text << result.standard_error;
    const Tensor y = load_npy(session_.folder() / "y.npy").value();
    return std::pair(y.data_as<float>()[0], y.data_as<float>()[1]);
  };
  EXPECT_EQ(set("2"), std::pair(2.0F, 0.0F));
  EXPECT_EQ(set("1+2j"), std::pair(1.0F, 2.0F));
  EXPECT_EQ(set("(-1.5e3-2i)"), std::pair(-1500.0F, -2.0F));
  EXPECT_EQ(set("-5e-1j"), std::pair(0.0F, -0.5F));
  EXPECT_EQ(set("25e-2+5e-1j"), std::pair(0.25F, 0.5F));
  EXPECT_EQ(run({"set.cu", "--scalar", "a=1j"}).exit_code, 0);
  EXPECT_EQ(run({"set.cu", "--set", "a_re=1", "--set", "a_im=1"}).exit_code, 0);
  for (const char* const text : {"", "j", "1+", "1+2", "1+2k", "+-2"}) {
    const ProcessResult result = run({"set.cu", "--set", std::string("a=") + text});
    EXPECT_EQ(result.exit_code, kBadValue) << text;
    EXPECT_THAT(result.standard_error, HasSubstr("is not a complex number (for \"a\"). Give one as 1.5, 2j or 1+2j."));
  }
  EXPECT_THAT(run({"set.cu", "--set", "a=1", "--set", "a_re=1"}).standard_error, HasSubstr("\"a_re\" is given twice"));
  const Words values = {"set.cu", "--backend", "cpu", "--set", "a=1+2j"};
  for (const Words& command : {Words{"bench"}, Words{"tune", "--budget", "1"}}) {
    Words words = command;
    words.insert(words.end(), values.begin(), values.end());
    const ProcessResult result = session_.run(words);
    EXPECT_THAT(result.standard_error, Not(HasSubstr("no symbol or scalar"))) << command[0];
  }
}

TEST_F(CliValuesTest, InfersScalarFromFileShape) {
  session_.write("sum.kmux",
                 "kernel sum(n: i32, x: f32[n], out y: f32[n])\n  example n = 1000\n  sources \"sum.c\"\n"
                 "  launch sum(n, x, y)\n");
  session_.write("sum.c", "void sum(int n, const float* x, float* y) { for (int i = 0; i < n; ++i) y[i] = x[i]; }\n");
  const ProcessResult learned = run({"sum.kmux", "--in", "x=x8.npy"});
  EXPECT_EQ(learned.exit_code, 0) << learned.standard_error;
  EXPECT_THAT(learned.standard_output, AllOf(HasSubstr("float32[8]"), Not(HasSubstr("example"))));
}

TEST_F(CliValuesTest, RejectsInvalidValues) {
  const struct {
    Words words;
    const char* message;
  } cases[] = {
      {{"bare.cu"},
       "needs values for \"a\" and \"n\" (no option, no file and no example of the program gives them). Give "
       "--set a=VALUE --set n=VALUE."},
      {{"bare.cu", "--set", "a=1"}, "needs a value for \"n\" "},
      {{"bare.cu", "--in", "x=x8.npy"}, "input \"y\" is not given. Add --in y="},
      {{"saxpy.cu", "--set", "N=8"}, "the program has no symbol or scalar \"N\". Did you mean 'n'? It has: n, a."},
      {{"saxpy.cu", "--set", "x=8"}, "--set cannot give \"x\" (it is a tensor). Write --in x=FILE.npy"},
      {{"scale/scale.kmux.json", "--set", "y=8"}, "--set cannot give \"y\" (it is an output of the program). --out y="},
      {{"saxpy.cu", "--set", "n=8", "--set", "n=8"}, "\"n\" is given twice"},
      {{"saxpy.cu", "--set", "n=8", "--symbol", "n=8"}, "\"n\" is given twice"},
      {{"saxpy.cu", "--set", "n"}, "--set \"n\" is not an assignment. Write --set NAME=VALUE."},
      {{"saxpy.cu", "--set", "n=8.5"}, "\"8.5\" is not an integer (for \"n\")"},
      {{"saxpy.cu", "--set", "a=two"}, "\"two\" is not a number (for \"a\")"},
      {{"saxpy.cu", "--set", "n=-1"}, "tensor \"x\" would have the negative extent -1 (n)"},
      {{"saxpy.cu", "--set", "n=5000000000"}, "symbol \"n\" cannot be 5000000000 (the program declares it as i32)"},
      {{"saxpy.cu", "--in", "x=x8.npy", "--in", "y=ones", "--set", "n=9"}, "has the extent 8 in dimension 0 (n is 9"},
  };
  for (const auto& one : cases) {
    const auto before = session_.files();
    const ProcessResult refused = run(one.words);
    EXPECT_EQ(refused.exit_code, kBadValue) << one.message;
    EXPECT_THAT(refused.standard_error, HasSubstr(one.message));
    EXPECT_EQ(refused.standard_output, "");
    EXPECT_EQ(session_.files(), before);
  }
}

constexpr const char* kFiltered = R"(//! kmux
//! kernel filtered(x: f32[n: i32], out y: f32[n])
//!   constant weights: f32[2, 2]
//!   constant "filters::shift": i32
//!   constant scale: f32 initialised
//!   example n = 4
//!   launch filtered<<<1, n>>>(x, y)
__constant__ float weights[2][2];
namespace filters {
__device__ int shift;
}
__constant__ float scale = 2;
__global__ void filtered(const float* x, float* y) {
  const int i = threadIdx.x;
  y[i] = scale * x[i] * weights[i / 2][i % 2] + filters::shift;
}
)";

TEST_F(CliValuesTest, SetsConstants) {
  session_.write("filtered.cu", kFiltered);
  const auto result = [&](const Words& more) {
    Words words = {"filtered.cu", "--in", "x=ones", "--out", "y=y.npy"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult set = run(words);
    EXPECT_EQ(set.exit_code, 0) << set.standard_error;
    EXPECT_EQ(set.standard_error, "");
    const auto y = load_npy(session_.folder() / "y.npy").value();
    return std::vector<float>(y.data_as<float>(), y.data_as<float>() + 4);
  };
  const std::string shift = "filters::shift=-3";
  EXPECT_EQ(result({"--constant", "weights=1,2.5,3,4", "--constant", shift}), (std::vector<float>{-1, 2, 3, 5}));
  EXPECT_EQ(result({"--constant", "weights=arange", "--constant", shift, "--constant", "scale=1"}),
            (std::vector<float>{-3, -2, -1, 0}));
  ASSERT_TRUE(
      save_npy(session_.folder() / "w.npy", Tensor::from<float>({2, 2}, dtype::kFloat32, {{4, 3, 2, 1}}).value()));
  EXPECT_EQ(result({"--constant", "weights=w.npy", "--constant", shift}), (std::vector<float>{5, 3, 1, -1}));
}

TEST_F(CliValuesTest, SetsConstantsWithCheckMemory) {
  session_.write("filtered.cu", kFiltered);
  const Words words = {
      "run",        "filtered.cu",      "--check-memory", "--in",   "x=ones", "--constant", "weights=1,2,3,4",
      "--constant", "filters::shift=1", "--out",          "y=y.npy"};
  const ProcessResult good = session_.run(words);
  EXPECT_EQ(good.exit_code, 0) << good.standard_error;
  EXPECT_EQ(load_npy(session_.folder() / "y.npy")->data_as<float>()[3], 9);
  std::string beyond = kFiltered;
  beyond.replace(beyond.find("weights[i / 2]"), 14, "weights[n_out]")
      .replace(beyond.find("const int i ="), 0, "const int n_out = 2; ");
  session_.write("filtered.cu", beyond);
  const ProcessResult bad = session_.run(words);
  EXPECT_NE(bad.exit_code, 0);
  EXPECT_THAT(bad.standard_error, HasSubstr("weights"));
}

TEST_F(CliValuesTest, GeneratesUnsetConstants) {
  session_.write("filtered.cu", kFiltered);
  const ProcessResult both = run({"filtered.cu", "--constant", "weights=ones", "--out", "y=y.npy"});
  EXPECT_EQ(both.exit_code, 0) << both.standard_error;
  EXPECT_THAT(both.standard_error,
              HasSubstr("made up: x=random:1, filters::shift=random:1; examples of the program: n = 4. "
                        "Give your own with --in x=FILE.npy"));
  const ProcessResult alone = run({"filtered.cu", "--in", "x=ones", "--constant", "filters::shift=1", "--json"});
  EXPECT_THAT(alone.standard_error, HasSubstr("made up: weights=random:1"));
  EXPECT_THAT(alone.standard_error, HasSubstr("Give your own with --constant weights=FILE.npy"));
  EXPECT_EQ(*(*parse_json(alone.standard_output)->find("made_up")->as_array())[0].as_string(), "weights=random:1");
  const ProcessResult same = run({"filtered.cu", "--in", "x=random:1", "--constant", "weights=ones", "--constant",
                                  "filters::shift=random:1", "--check", "y=y.npy"});
  EXPECT_EQ(same.exit_code, 0) << same.standard_output;
}

TEST_F(CliValuesTest, RejectsInvalidConstants) {
  session_.write("filtered.cu", kFiltered);
  const std::string folder = session_.folder();
  ASSERT_TRUE(save_npy(folder + "/ints.npy", Tensor::zeros({2, 2}, dtype::kInt32).value()));
  ASSERT_TRUE(save_npy(folder + "/flat.npy", Tensor::zeros({4}, dtype::kFloat32).value()));
  const struct {
    std::string constant;
    const char* message;
  } cases[] = {
      {"weight=1",
       "the program has no constant \"weight\". Did you mean 'weights'? It has: weights, filters::shift, scale."},
      {"weights", "--constant \"weights\" is not an assignment. Write --constant NAME=VALUE."},
      {"weights=1,2,3",
       "--constant gives \"weights\" 3 numbers (the program declares it as float32[2, 2]). Give 4, in "
       "row-major order."},
      {"weights=ints.npy",
       "--constant gives \"weights\" int32[2, 2] (the program declares it as float32[2, 2]). Give a file "
       "of that type and shape."},
      {"weights=flat.npy", "--constant gives \"weights\" float32[4] (the program"},
      {"weights=none.npy", "none.npy"},
      {"weights=random:", "\"random:\" has no seed"},
      {"filters::shift=1.5", "--constant gives \"filters::shift\" the number 1.5 (the program declares it as int32"},
      {"filters::shift=3000000000", "the number 3000000000 (the program declares it as int32"},
  };
  for (const auto& one : cases) {
    const ProcessResult refused = run({"filtered.cu", "--constant", one.constant});
    EXPECT_EQ(refused.exit_code, kBadValue) << one.message;
    EXPECT_THAT(refused.standard_error, HasSubstr(one.message));
    EXPECT_EQ(refused.standard_output, "");
  }
  EXPECT_THAT(run({"filtered.cu", "--constant", "scale=1", "--constant", "scale=2"}).standard_error,
              HasSubstr("constant \"scale\" is given twice. Give it once."));
  EXPECT_THAT(run({"filtered.cu", "--constant", "weights=flat.npy", "--out", "y=flat.npy", "--force"}).exit_code,
              kBadValue);
  EXPECT_THAT(run({"saxpy.cu", "--constant", "scale=1"}).standard_error,
              HasSubstr("the program has no constant \"scale\". It has: none."));
  EXPECT_THAT(session_.run({"tune", "filtered.cu", "--constant", "scale=1"}).standard_error, HasSubstr("constant"));
}

TEST_F(CliValuesTest, ReportsCallTimeAndRates) {
  const ProcessResult timed = run({"saxpy.cu", "--time", "--repeat", "3", "--json"});
  const Json json = parse_json(timed.standard_output).value();
  EXPECT_EQ(*json.find("timed_calls")->as_integer(), 3);
  EXPECT_GT(*json.find("median_call_ns")->as_number(), 0);
  EXPECT_EQ(*json.find("bytes_a_call")->as_number(), 3 * 4000);  // y is read and written
  EXPECT_EQ(*json.find("flops_a_call")->as_integer(), 2000);
  EXPECT_EQ(json.find("made_up")->as_array()->size(), 2u);
  const ProcessResult text = run({"saxpy.cu", "--time"});
  EXPECT_THAT(text.standard_output,
              testing::ContainsRegex("a call \\(median of [0-9]+, each waited for\\), [0-9.]+ GB/s "
                                     "of 11.7 KiB of tensors, [0-9.]+ GFLOP/s\n"));
  EXPECT_THAT(run({"bare.cu", "--time", "--set", "n=8", "--set", "a=1"}).standard_output, Not(HasSubstr("FLOP")));
  EXPECT_THAT(run({"saxpy.cu", "--repeat", "2"}).standard_output,
              AllOf(HasSubstr("median call"), Not(HasSubstr("GB/s"))));
}

TEST_F(CliValuesTest, TimedCallsReuseOutputBuffers) {
  session_.write("copy.kmux",
                 "kernel copy(x: f32[n], out y: f32[n], count: i32)\n  sources \"copy.c\"\n  bytes 2 * n\n"
                 "  launch copy(x, y, n: i64)\n");
  session_.write(
      "copy.c",
      "void copy(const float* x, float* y, long long n) { for (long long i = 0; i < n; ++i) y[i] = x[i]; }\n");
  const ProcessResult timed = run(
      {"copy.kmux", "--in", "x=x8.npy", "-s", "count=1", "--time", "--repeat", "3", "--check", "y=x8.npy", "--json"});
  ASSERT_EQ(timed.exit_code, 0) << timed.standard_error;
  EXPECT_EQ(*parse_json(timed.standard_output)->find("bytes_a_call")->as_number(), 16) << "as the program says";
}

constexpr const char* kNulls =
    "//! kmux\n//! kernel first(p: pointer, x: f32[n] nullable, z: f32[n], out y: f32[n])\n//!   example n = 2\n"
    "//!   launch first(p, x, z, y, n)\n"
    "void first(const float* p, const float* x, const float* z, float* y, int n) {\n"
    "  for (int i = 0; i < n; ++i) y[i] = z[i] + (p ? 100 : 10) + (x ? x[i] : 5);\n}\n";

TEST_F(CliValuesTest, PassesNullForPointersAndNullableTensors) {
  session_.write("first.c", kNulls);
  for (const auto& [x, expected] : {std::pair("x=null", 16.0F), {"x=ones", 12.0F}}) {
    const ProcessResult result =
        run({"first.c", "--in", "p=null", "--in", x, "--in", "z=ones", "--out", "y=y.npy", "--force"});
    ASSERT_EQ(result.exit_code, 0) << result.standard_error;
    EXPECT_EQ(load_npy(session_.folder() / "y.npy").value().data_as<float>()[1], expected);
  }
  EXPECT_EQ(run({"first.c", "--in", "p=null"}).exit_code, 0);
}

TEST_F(CliValuesTest, RejectsNullElsewhere) {
  session_.write("first.c", kNulls);
  const auto told = [&](const char* in) { return run({"first.c", "--in", in}).standard_error; };
  EXPECT_THAT(run({"first.c"}).standard_error, HasSubstr("\"p\" is a raw pointer"));
  EXPECT_THAT(told("p=ones"), HasSubstr("--in gives \"p\" more than null"));
  EXPECT_THAT(told("z=null"), HasSubstr("--in cannot give null for \"z\" (it is not nullable)"));
  EXPECT_THAT(told("*=null"), HasSubstr("Name each that is to be."));
}

TEST_F(CliValuesTest, GeneratesWritesAndComparesComplexTensors) {
  session_.write("twice.c",
                 "//! kmux\n//! kernel twice(x: complex64[n], out y: complex64[n])\n//!   example n = 3\n"
                 "//!   launch twice(x, y, n)\n"
                 "void twice(const float _Complex* x, float _Complex* y, int n) { for (int i = 0; i < n; ++i) y[i] = 2 "
                 "* x[i]; }\n");
  const Words made = {"twice.c", "--in", "x=arange", "--out", "y=y.npy"};
  ASSERT_EQ(run(made).exit_code, 0);
  const Tensor y = load_npy(session_.folder() / "y.npy").value();
  EXPECT_EQ(y.dtype(), dtype::kComplex64);
  EXPECT_EQ(y.data_as<std::complex<float>>()[2], std::complex<float>(8, 10));  // elements count separately
  EXPECT_EQ(run({"twice.c", "--in", "x=arange", "--check", "y=y.npy"}).exit_code, 0);
  const ProcessResult other = run({"twice.c", "--in", "x=ones", "--check", "y=y.npy"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.standard_output + other.standard_error, HasSubstr("of 6 elements differ"));
}

}  // namespace
}  // namespace kmux::test

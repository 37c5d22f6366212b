#include "unit/validate_cases.h"

namespace kmux {
namespace {

using namespace std::string_literals;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

Variant& variant(Program& program) { return program.variants[0]; }

TEST(ValidateVariantTest, ChecksDialect) {
  expect_problems({
      {[](Program& p) { variant(p).dialect = "cudaa"; }, "/variants/0/dialect",
       "unknown dialect \"cudaa\". Did you mean 'cuda'? Use \"c\", \"cubin\""},
      {[](Program& p) { p.variants[1].dialect = ""; }, "/variants/1/dialect", "unknown dialect \"\""},
  });
}

// The dialect of a backend outside this tree. The resolver, not validate(), compares it with the plugin's manifest.
TEST(ValidateVariantTest, AcceptsExternalDialects) {
  for (const char* dialect : {"opencl", "wgsl", "my_language2"}) {
    Program program = sample_program();
    variant(program).dialect = dialect;
    EXPECT_THAT(validate(program), IsEmpty()) << dialect;
  }
  for (const char* word : {"", "OpenCL", "open cl", "2d", "_x", "open-cl", "cudda", "hipp", "object_"}) {
    Program program = sample_program();
    variant(program).dialect = word;
    EXPECT_THAT(validate(program), Contains(Field(&Problem::message, HasSubstr("unknown dialect")))) << word;
  }
}

TEST(ValidateProgramTest, ChecksConstants) {
  const auto with = [](Constant constant) { return [constant](Program& p) { p.constants = {{"first"}, constant}; }; };
  expect_problems({
      {with({"a b"}), "/constants/1/name", "\"a b\" is not the name of a variable"},
      {with({"w(x)"}), "/constants/1/name", "is not the name of a variable"},
      {with({"first"}), "/constants/1/name", "constant \"first\" is declared twice. Remove one."},
      {with({"w", {kDLOpaqueHandle, 64, 1}}), "/constants/1/dtype", "a constant cannot hold"},
      {with({"w", dtype::kFloat32, {4, 0}}), "/constants/1/shape", "float32[4, 0] cannot be the shape of a constant"},
      {with({"w", dtype::kFloat32, {1LL << 40, 1LL << 40}}), "/constants/1/shape", "cannot be the shape"},
      {with({"w", {kDLInt, 4, 1}, {3}}), "/constants/1/shape", "all bytes are whole"},
  });
}

TEST(ValidateProgramTest, AcceptsConstantsInNamespacesAndTemplates) {
  Program program = sample_program();
  program.constants = {{"filters::weights", dtype::kFloat32, {3, 3}}, {"scale<float>"}, {"_ZN1a1bE"}, {"n"}};
  EXPECT_THAT(validate(program), IsEmpty());
  EXPECT_EQ(bytes_of(program.constants[0]), 36);
  EXPECT_EQ(describe(program.constants[0]), "float32[3, 3]");
}

TEST(ValidateVariantTest, ChecksRequirements) {
  expect_problems({
      {[](Program& p) { variant(p).requirements.arch[0] = "sm 90"; }, "/variants/0/requires/arch/0", "is not an arch"},
      {[](Program& p) { variant(p).requirements.features[0] = ""; }, "/variants/0/requires/features/0",
       "not a feature"},
  });
}

TEST(ValidateVariantTest, ChecksSettings) {
  const auto define = [](std::string text) { return [text](Program& p) { variant(p).settings.defines[0] = text; }; };
  const auto prelude = [](std::string text) { return [text](Program& p) { variant(p).settings.preludes[0] = text; }; };
  const std::string at = "/variants/0/settings/";
  for (const std::string& text : {""s, "1A"s, "A B=1"s, "A=1\nB"s, "-DA"s, "A=\0"s}) {
    expect_problems({{define(text), at + "defines/0", "is not a define"}});
  }
  for (const std::string& text :
       {""s, "\"a.h\""s, "<a.h>"s, "a.h\n#define X"s, "a\\b.h"s, "-DX"s, "@args.h"s, "kmux-device/a.h"s}) {
    expect_problems({{prelude(text), at + "preludes/0", "is not a header name"}});
  }
  expect_problems({
      {[](Program& p) { variant(p).settings.standard = "c++17 -w"; }, at + "standard", "is not a standard"},
      {[](Program& p) { variant(p).settings.include_hints = {"tile lang"}; }, at + "include_hints/0", "not a package"},
      {[](Program& p) { variant(p).settings.python_requires = {"numpy", "os; x"}; }, at + "python_requires/1",
       "not a requirement"},
      {[](Program& p) { variant(p).settings.compile_flags = {"-O3", "O3"}; }, at + "compile_flags/1",
       "not a compiler flag"},
      {[](Program& p) { variant(p).settings.compile_flags = {"-a\n-b"}; }, at + "compile_flags/0",
       "not a compiler flag"},
      {[](Program& p) { variant(p).settings.python_requires = {"-e."}; }, at + "python_requires/0",
       "not a requirement"},
  });
  Program program = sample_program();
  variant(program).settings.defines = {"A", "A_1=", "B=a b \"c\"=d"};
  EXPECT_THAT(validate(program), IsEmpty());
}

TEST(ValidateVariantTest, ChecksFiles) {
  expect_problems({
      {[](Program& p) { variant(p).sources.clear(); }, "/variants/0/sources", "no sources. Add the file"},
      {[](Program& p) { variant(p).sources[0].path = "/etc/passwd"; }, "/variants/0/sources/0/path", "is refused"},
      {[](Program& p) { variant(p).headers[0].path = "a/../b"; }, "/variants/0/headers/0/path", "is refused"},
      {[](Program& p) { variant(p).headers[0].path = "gemm.kmux.json"; }, "/variants/0/headers/0/path", "is refused"},
      {[](Program& p) { variant(p).headers[0] = variant(p).sources[0]; }, "/variants/0/headers/0/path",
       "taken (by /variants/0/sources/0/path)"},
  });
}

TEST(ValidateVariantTest, RequiresSingleFileInBinaryDialects) {
  Program program = sample_program();
  program.variants[1] = {.dialect = "ptx", .sources = {{"gemm.ptx", "// ptx"}}};
  program.variants[1].body.steps = {Launch{.kernel = "_Z4gemmPv", .grid = {1}}};
  EXPECT_THAT(validate(program), IsEmpty());
  program.variants[1].sources.push_back({"two.ptx", ""});
  program.variants[1].headers = {{"h.h", ""}};
  program.variants[1].settings.fast_math = true;
  const std::vector<Problem> problems = validate(program);
  EXPECT_EQ(problems.size(), 3U);
  EXPECT_THAT(problems, Contains(Field(&Problem::message, HasSubstr("2 sources (dialect \"ptx\" is one ready file)"))));
  EXPECT_THAT(problems, Contains(Field(&Problem::message, HasSubstr("Remove the headers"))));
  EXPECT_THAT(problems, Contains(Field(&Problem::message, HasSubstr("Remove the settings"))));
}

}  // namespace
}  // namespace kmux

// The host programs of tests/data/tilelang as data: they load, are valid and canonical, and match their kernels.
// tilelang_devices_test.cpp covers those for devices.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/features.h"
#include "kmux/program.h"
#include "kmux/validate.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

const fs::path kData = fs::path(KMUX_TEST_DATA_DIR) / "tilelang";

fs::path path_of(const std::string& name) { return kData / name / (name + ".kmux.json"); }

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns "[m, 256]" and the like, from the expressions' JSON.
std::string list_of(const std::vector<Expr>& expressions) {
  std::string text;
  for (const Expr& expression : expressions) text += (text.empty() ? "" : ", ") + to_json(expression);
  return "[" + text + "]";
}

std::string text_of(const Param& param) {
  if (const ScalarParam* scalar = as_scalar(param)) return param.name + ": " + to_string(scalar->dtype);
  const BufferParam* buffer = as_buffer(param);
  std::string text = param.name + ": " + to_string(buffer->dtype) + list_of(buffer->shape);
  if (buffer->strides) text += " strides " + list_of(*buffer->strides);
  return text + (buffer->nullable ? "?" : "");
}

std::string text_of(const LaunchArg& arg) {
  if (const auto* tensor = std::get_if<TensorArg>(&arg)) return tensor->param;
  if (const auto* scalar = std::get_if<ScalarArg>(&arg)) return scalar->param;
  const auto& expr = std::get<ExprArg>(arg);
  return to_string(expr.dtype) + " " + to_json(expr.value);
}

// Returns the facts of a program as text, for example "(x: float32["n"]) -> y | n: int32 | int32 scale_kernel(x, y,
// int32 "n")".
std::string facts_of(const Program& program) {
  std::ostringstream text;
  for (const Param& param : program.signature.params) text << text_of(param) << "; ";
  text << "->";
  for (const std::string& output : program.signature.outputs) text << ' ' << output;
  for (const Symbol& symbol : program.signature.symbols)
    text << " | " << symbol.name << ": " << to_string(symbol.dtype);
  for (const Step& step : program.variants.at(0).body.steps) {
    const auto& launch = std::get<Launch>(step);
    text << " | " << (launch.returns == CallResult::kInt32 ? "int32 " : "void ") << launch.kernel << '(';
    for (const LaunchArg& arg : launch.args) text << (&arg == &launch.args[0] ? "" : ", ") << text_of(arg);
    text << ')';
  }
  return text.str();
}

struct Facts {
  std::string name;
  std::string facts;
};

// The order of a kernel's arguments is TileLang's, not the caller's; integers have the width of their symbol.
const std::vector<Facts> kFacts = {
    {"gemm", "A: float32[256, 256]; B: float32[256, 256]; C: float32[256, 256]; -> C | int32 gemm_kernel(A, B, C)"},
    {"gemm_dynamic",
     "A: float32[\"m\", 256]; B: float32[256, 256]; C: float32[\"m\", 256]; -> C | m: int32"
     " | int32 gemm_kernel(A, B, C, int32 \"m\")"},
    {"scale",
     "x: float32[\"n\"]; y: float32[\"n\"]; factor: float32; -> y | n: int32"
     " | int32 scale_kernel(x, y, factor, int32 \"n\")"},
    {"affine",
     "x: float64[\"n\"]; count: int64; shift: int32; offset: int32; slope: float64; y: float64[\"n\"]; -> y"
     " | n: int64 | int32 affine_kernel(x, y, count, int64 \"n\", offset, shift, slope)"},
    {"add_half",
     "a: float16[\"n\"]; b: float16[\"n\"]; c: float16[\"n\"]; -> c | n: int32"
     " | int32 add_half_kernel(a, b, c, int32 \"n\")"},
    {"row_sum",
     "x: float32[\"m\", \"n\"]; s: float32[\"m\"]; -> s | m: int32 | n: int32"
     " | int32 row_sum_kernel(s, x, int32 \"m\", int32 \"n\")"},
    {"softmax",
     "x: float32[\"m\", 128]; y: float32[\"m\", 128]; -> y | m: int32"
     " | int32 softmax_kernel(x, y, int32 \"m\")"},
    {"extremes",
     "x: float32[\"m\", \"n\"]; low: float32[\"m\"]; high: float32[\"m\"]; where: int32[\"m\"];"
     " -> low high where | m: int32 | n: int32"
     " | int32 extremes_kernel(high, low, where, x, int32 \"m\", int32 \"n\")"},
    {"normalize_columns",
     "x: float32[\"m\", 64]; total: float32[64]; y: float32[\"m\", 64]; -> total y | m: int32"
     " | int32 normalize_columns_kernel(total, x, y, int32 \"m\")"},
    {"unpack_bytes",
     "packed: int32[\"n\"]; bytes: int8[[\"*\",\"n\",4]]; -> bytes | n: int32"
     " | int32 unpack_bytes_kernel(bytes, packed, int32 \"n\")"},
    {"pack_rows",
     "x: float32[\"m\", \"n\"] strides [\"pitch\", 1]; y: float32[\"m\", \"n\"]; -> y"
     " | m: int32 | n: int32 | pitch: int32"
     " | int32 pack_rows_kernel(x, y, int32 \"m\", int32 \"n\", int32 \"pitch\")"},
    {"copy_without_bias",
     "x: float32[\"n\"]; bias: float32[\"n\"]?; y: float32[\"n\"]; -> y | n: int32"
     " | int32 copy_without_bias_kernel(x, y, int32 \"n\")"},
};

class TileLangDataTest : public testing::TestWithParam<Facts> {};

TEST_P(TileLangDataTest, IsCanonicalAndValid) {
  const Result<Program> program = load_program(path_of(GetParam().name));
  ASSERT_TRUE(program.ok()) << program.error().explain();
  EXPECT_THAT(validate(*program), IsEmpty());
  EXPECT_EQ(to_json(*program) + "\n", text_of(path_of(GetParam().name)));
}

TEST_P(TileLangDataTest, MatchesExpectedSignatureAndLaunches) {
  const Program program = load_program(path_of(GetParam().name)).value();
  EXPECT_EQ(program.name, GetParam().name);
  EXPECT_EQ(facts_of(program), GetParam().facts);
}

/// Returns true if the source uses TileLang's headers (here: half, and vectors of floats).
bool uses_templates(const std::string& name) {
  return std::set<std::string>{"add_half", "gemm", "gemm_dynamic"}.contains(name);
}

TEST_P(TileLangDataTest, RequiresOnlyUsedTemplates) {
  const Program program = load_program(path_of(GetParam().name)).value();
  const Variant& variant = program.variants.at(0);
  EXPECT_EQ(variant.dialect, "c");
  Settings expected{.standard = "c++17"};
  if (uses_templates(program.name)) expected.include_hints = {"tilelang"};
  EXPECT_EQ(variant.settings, expected);
  EXPECT_EQ(features_used(program, 0), std::vector<UsedFeature>{});
  EXPECT_EQ(program.metadata.origin, "TileLang 0.1.15");
}

TEST_P(TileLangDataTest, HasHipVariantIfThreadsMayRepeatWork) {
  const Program program = load_program(path_of(GetParam().name)).value();
  const bool is_for_hip = !std::set<std::string>{"gemm", "gemm_dynamic", "normalize_columns"}.contains(program.name);
  ASSERT_EQ(program.variants.size(), is_for_hip ? 2U : 1U);
  if (!is_for_hip) return;
  EXPECT_EQ(program.variants[1].dialect, "hip");
  EXPECT_EQ(program.variants[1].requirements.arch, std::vector<std::string>{"gfx90a"});
}

INSTANTIATE_TEST_SUITE_P(Programs, TileLangDataTest, testing::ValuesIn(kFacts),
                         [](const auto& param) { return param.param.name; });

// A new program of the folder for the host (with HIP at most) must also be added to the table.
TEST(TileLangDataFolderTest, ContainsOnlyListedHostPrograms) {
  std::vector<std::string> found, expected;
  for (const auto& entry : fs::directory_iterator(kData)) {
    const std::string name = entry.path().filename();
    const Program program = load_program(path_of(name)).value();
    const bool is_elsewhere = std::ranges::any_of(
        program.variants, [](const Variant& variant) { return variant.dialect != "c" && variant.dialect != "hip"; });
    if (!is_elsewhere) found.push_back(name);
  }
  for (const Facts& facts : kFacts) expected.push_back(facts.name);
  EXPECT_THAT(found, testing::UnorderedElementsAreArray(expected));
}

}  // namespace
}  // namespace kmux

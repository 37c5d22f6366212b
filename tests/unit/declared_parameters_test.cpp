#include "ir/declared_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/text.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Variant variant_of(std::string dialect, std::string source) {
  Variant variant{.dialect = std::move(dialect)};
  variant.sources.push_back({"k.cu", std::move(source)});
  return variant;
}

/// Returns "pointer, int" for each declaration of `kernel` with `count` parameters; "?" for an unknown type.
std::vector<std::string> declared(const Variant& variant, std::string_view kernel, std::size_t count) {
  std::vector<std::string> all;
  for (const auto& declaration : declared_parameters(variant, kernel, count)) {
    std::string text;
    for (const DeclaredParameter& one : declaration)
      text += (text.empty() ? "" : ", ") + (one.text.empty() ? "?" : one.text);
    all.push_back(text);
  }
  return all;
}

std::vector<std::string> declared(std::string source, std::size_t count) {
  return declared(variant_of("cuda", "__global__ void " + std::move(source) + " {}"), "k", count);
}

TEST(DeclaredParametersTest, AreParsedFromKernels) {
  EXPECT_THAT(declared("k(float a, const float* __restrict__ x, long long n)", 3),
              ElementsAre("float, pointer, long long"));
  EXPECT_THAT(declared("k(unsigned long n, std::int64_t m, const size_t k, uint u)", 4),
              ElementsAre("unsigned long, int64_t, size_t, uint"));
  EXPECT_THAT(declared("k(T* x, T a, index_t n, float4 v, long double d)", 5), ElementsAre("pointer, ?, ?, ?, ?"));
  EXPECT_THAT(declared("k(std::pair<int, long> p, int n = sizeof(int), int (*f)(int, int))", 3),
              ElementsAre("?, int, pointer"));
  EXPECT_THAT(declared("k(const int /* long long */ n, // int, int\n \"int\" short)", 2), ElementsAre("int, short"));
  EXPECT_THAT(declared("k(int a)", 2), IsEmpty()) << "another number of parameters";
}

TEST(DeclaredParametersTest, ComeOnlyFromDeclarations) {
  const Variant variant = variant_of("cuda", R"source(
#define k(n) k(long n)
// __global__ void k(long n);
const char* text = "__global__ void k(long n)", *raw = R"x(__global__ void k(long n) ")x";
void k(long n) { other(n); }
template <int N> __global__ __launch_bounds__(256) void k(int n) { if (n) k(n); }
)source");
  EXPECT_THAT(declared(variant, "ns::k<256>", 1), ElementsAre("int"));
  const Variant host = variant_of("c", "int64_t k(int n); int g() { return k(3); }\nint k(int n) { else k(n); }");
  EXPECT_THAT(declared(host, "k", 1), ElementsAre("int", "int"));
  EXPECT_THAT(declared(variant_of("cubin", "__global__ void k(int n);"), "k", 1), IsEmpty());
}

TEST(DeclaredParametersTest, OfMetalAreItsBuffers) {
  const Variant metal =
      variant_of("msl", R"(kernel void k(device float* x [[buffer(0)]], constant long& n [[buffer(1)]],
                                                          uint i [[thread_position_in_grid]]) {})");
  EXPECT_THAT(declared(metal, "k", 2), ElementsAre("pointer, long"));
}

TEST(DeclaredParametersTest, AreParsedFromKernelNames) {
  EXPECT_THAT(declared(variant_of("cuda", ""), "k(float const*, unsigned long, int)", 3),
              ElementsAre("pointer, unsigned long, int"));
}

TEST(DeclaredParametersTest, TolerateUnterminatedSources) {
  for (const char* source : {"void k(", "void k(int n", "void k(int n;", "__global__ void k(int a[[", "/*", "\"",
                             "R\"(", "'", "R\"", "#", "#\\", "void k([[x", "k"}) {
    for (const char* dialect : {"c", "cuda", "msl"}) declared_parameters(variant_of(dialect, source), "k", 1);
  }
}

/// Returns the type in which argument "n" of `launch k(x, n)` is passed to a source.
DType type_of_n(const std::string& parameters, const std::string& argument = "n") {
  const Program program = kernel_program({.source = "extern \"C\" void k(" + parameters + ") {}",
                                          .signature = "k(x: f32[n])",
                                          .args = "x, " + argument})
                              .value();
  return std::get<ExprArg>(std::get<Launch>(program.variants[0].body.steps[0]).args[1]).dtype;
}

TEST(DeclaredParametersTest, DetermineTypesOfIntegerArguments) {
  EXPECT_EQ(type_of_n("float* x, int n"), dtype::kInt32);
  EXPECT_EQ(type_of_n("float* x, long long n"), dtype::kInt64);
  EXPECT_EQ(type_of_n("float* x, size_t n"), dtype::kInt64);
  EXPECT_EQ(type_of_n("float* x, int64_t n", "n + 1"), dtype::kInt64);
  EXPECT_EQ(type_of_n("float* x, index_t n"), dtype::kInt32) << "what it does not know stays as it was";
  EXPECT_EQ(type_of_n("float* x, int64_t n", "n: i32"), dtype::kInt32) << "what is written counts";
  EXPECT_EQ(type_of_n("float* x, long n); void k(float* x, int n"), dtype::kInt32) << "declarations that differ";
}

TEST(DeclaredParametersTest, RoundTripThroughText) {
  for (const char* argument : {"n", "n: i32", "n: i64", "n * 2"}) {
    const Program program = kernel_program({.source = "extern \"C\" void k(float* x, long long n) {}",
                                            .signature = "k(x: f32[n])",
                                            .args = std::string("x, ") + argument})
                                .value();
    const auto read = [&](const std::string&) -> Result<std::string> { return program.variants[0].sources[0].content; };
    EXPECT_EQ(from_text({"k.kmux", to_text(program)}, read).value(), program) << argument;
  }
}

/// Returns the error for a launch of k(x, n) that passes n as `dtype`; empty if the launch is valid.
std::string refusal(std::string dialect, const std::string& source, DType dtype) {
  ProgramBuilder builder("k");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).variant(std::move(dialect)).source("k.c", source);
  builder.launch("k").arg(TensorArg{"x"}).arg(n, dtype);
  const Program program = builder.build().value();
  const Status checked = check_declared(program.signature, program.variants[0]);
  if (checked) return "";
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
  return checked.error().message;
}

TEST(DeclaredParametersTest, RejectMismatchedNumbers) {
  EXPECT_EQ(refusal("c", "void k(float* x, long long n) {}", dtype::kInt32),
            "kernel \"k\" is launched with int32 n as argument 2 (its source takes long long). Write the type of the "
            "argument behind it, as \"n: i64\", or correct the kernel.");
  EXPECT_THAT(refusal("c", "void k(float* x, int n) {}", dtype::kInt64), HasSubstr("int64 n as argument 2"));
  EXPECT_THAT(refusal("c", "void k(float* x, float n) {}", dtype::kInt32), HasSubstr("its source takes float"));
  EXPECT_THAT(refusal("c", "void k(float* x, float* n) {}", dtype::kInt64), HasSubstr("its source takes pointer"));
  EXPECT_EQ(refusal("c", "void k(float* x, unsigned n) {}", dtype::kInt32), "");
  EXPECT_EQ(refusal("c", "void k(float* x, index n) {}", dtype::kInt32), "");
  EXPECT_EQ(refusal("c", "void k(float* x, long n);\nvoid k(float* x, int n);", dtype::kInt32), "") << "one fits";
}

TEST(DeclaredParametersTest, RejectStructuresForNumbersAndPointers) {
  const auto refused = [](const std::string& source) {
    ProgramBuilder builder("k");
    builder.buffer("x", BufferParam{dtype::kFloat32, {4}}).variant("c").source("k.c", source);
    builder.launch("k").arg(StructArg{{TensorArg{"x"}}}).arg(1);
    const Program program = builder.build().value();
    const Status checked = check_declared(program.signature, program.variants[0]);
    return checked ? "" : checked.error().message;
  };
  EXPECT_EQ(refused("void k(float* x, int n) {}"),
            "kernel \"k\" is launched with a structure as argument 1 (its source takes pointer). Pass a number or an "
            "address, "
            "or correct the kernel.");
  EXPECT_THAT(refused("void k(long x, int n) {}"), HasSubstr("its source takes long"));
  EXPECT_EQ(refused("void k(struct View x, int n) {}"), "");
}

}  // namespace
}  // namespace kmux

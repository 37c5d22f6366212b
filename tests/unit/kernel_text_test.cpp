// Programs of a source and a signature line, and the errors for parts written by the caller.
#include <functional>

#include <gmock/gmock.h>

#include "kmux/text.h"

namespace kmux {
namespace {

using testing::HasSubstr;

constexpr const char* kSaxpySource = "__global__ void saxpy(float a, const float* x, float* y, int n) {}\n";
constexpr const char* kSaxpySignature = "saxpy(a: f32, x: f32[n], y: inout f32[n])";

/// Returns a kernel text with one part changed.
KernelText kernel_with(const std::function<void(KernelText&)>& change) {
  KernelText kernel{.source = kSaxpySource, .signature = kSaxpySignature, .grid = "ceildiv(n, 256)", .block = "256"};
  change(kernel);
  return kernel;
}

/// Returns the text that a compiler would print.
std::string told_of_part(const std::function<void(KernelText&)>& change) {
  const Error error = kernel_program(kernel_with(change)).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  return std::string(error.note("text").value_or(error.message));
}

TEST(KernelTextTest, AcceptsOtherDialects) {
  const Program program = kernel_program(kernel_with([](KernelText& k) { k.dialect = "opencl"; })).value();
  EXPECT_EQ(program.variants[0].dialect, "opencl");
  EXPECT_THAT(program.variants[0].sources[0].content,
              HasSubstr("inout f32[n])\n//!   dialect opencl\n//!   launch saxpy"));
}

TEST(KernelTextTest, HasDefinesAsALineBeforeTheLaunch) {
  const Program program = kernel_program(kernel_with([](KernelText& k) { k.defines = {"A", "B=\"1\""}; })).value();
  EXPECT_THAT(program.variants[0].settings.defines, testing::ElementsAre("A", "B=\"1\""));
  EXPECT_THAT(program.variants[0].sources[0].content,
              HasSubstr("inout f32[n])\n//!   defines \"A\", \"B=\\\"1\\\"\"\n//!   launch saxpy"));
}

TEST(KernelTextTest, AcceptsParametersNamedLikeTheKernel) {
  const auto same = [](KernelText& k) { k.signature = "saxpy(y: inout f32[n], saxpy: f32)"; };
  const std::vector<LaunchArg> args = {TensorArg{"y"}, ScalarArg{"saxpy"}, ExprArg{Expr::symbol("n")}};
  EXPECT_EQ(std::get<Launch>(kernel_program(kernel_with(same)).value().variants[0].body.steps[0]).args, args);
}

/// A complex scalar is two parameters, which a launch passes as a structure.
TEST(KernelTextTest, SplitsComplexScalarsIntoTheirParts) {
  const auto complex = [](KernelText& k) { k.signature = "saxpy(a: complex64, y: inout f32[n], b: complex128)"; };
  const Program program = kernel_program(kernel_with(complex)).value();
  EXPECT_EQ(to_text(program).substr(0, 84),
            "kernel saxpy(a_re: f32, a_im: f32, inout y: f32[n], b_re: f64, b_im: f64)\n  sources ");
  const std::vector<LaunchArg> both = {StructArg{{ScalarArg{"a_re"}, ScalarArg{"a_im"}}, 8}, TensorArg{"y"},
                                       StructArg{{ScalarArg{"b_re"}, ScalarArg{"b_im"}}, 16},
                                       ExprArg{Expr::symbol("n")}};
  EXPECT_EQ(std::get<Launch>(program.variants[0].body.steps[0]).args, both);
}

TEST(KernelTextTest, LeavesParametersNamedLikeParts) {
  const auto two = [](KernelText& k) { k.signature = "saxpy(a_re: f32, a_im: f32, y: inout f32[n])"; };
  const std::vector<LaunchArg> each = {ScalarArg{"a_re"}, ScalarArg{"a_im"}, TensorArg{"y"},
                                       ExprArg{Expr::symbol("n")}};
  EXPECT_EQ(std::get<Launch>(kernel_program(kernel_with(two)).value().variants[0].body.steps[0]).args, each);
  EXPECT_THAT(told_of_part([&](KernelText& k) { two(k), k.args = "a, y"; }), HasSubstr("no \"a\" in scope"));
}

TEST(KernelTextTest, ReportsNamesTakenByParts) {
  EXPECT_THAT(told_of_part([](KernelText& k) { k.signature = "saxpy(a: complex64, a_re: f32)"; }),
              HasSubstr("1:21: error: the name \"a_re\" is taken"));
  EXPECT_THAT(told_of_part([](KernelText& k) { k.signature = "saxpy(a: complex64x2)"; }),
              HasSubstr("a scalar cannot be \"complex64x2\""));
}

TEST(KernelTextTest, RejectsDefinesBesideAWholeProgram) {
  const auto whole = [](KernelText& k) {
    k.signature = "kernel saxpy(a: f32, x: f32[n], y: inout f32[n])\n  launch saxpy<<<1, 1>>>(a, x, y, n: i32)";
    k.defines = {"A"};
  };
  EXPECT_THAT(told_of_part(whole), HasSubstr("defines are given (the program is whole"));
  EXPECT_THAT(told_of_part([](KernelText& k) {
                k.source = "void f() {}\n//! kmux\n//! kernel f()\n//!   launch f()\n";
                k.signature = "";
                k.defines = {"A"};
              }),
              HasSubstr("defines are given"));
}

TEST(KernelTextTest, AppendsKernelAndLaunchDirectives) {
  const Program program = kernel_program(kernel_with([](KernelText&) {})).value();
  EXPECT_EQ(program.variants[0].dialect, "cuda");
  EXPECT_EQ(program.variants[0].sources[0].content, std::string(kSaxpySource) +
                                                        "//! kmux\n//! kernel saxpy(a: f32, x: f32[n], y: inout "
                                                        "f32[n])\n//!   launch saxpy<<<ceildiv(n, 256), 256>>>"
                                                        "(a, x, y, n)\n");
  const auto launch_of = [](const std::function<void(KernelText&)>& change) {
    return std::get<Launch>(kernel_program(kernel_with(change)).value().variants[0].body.steps[0]);
  };
  EXPECT_EQ(launch_of([](KernelText& k) { k.name = "saxpy<float>"; }).kernel, "saxpy<float>");
  EXPECT_EQ(launch_of([](KernelText& k) { k.name = "saxpy(float, float const*)"; }).kernel,
            "saxpy(float, float const*)");
  EXPECT_EQ(launch_of([](KernelText& k) { k.args = "y, n: i64"; }).args,
            (std::vector<LaunchArg>{TensorArg{"y"}, ExprArg{Expr::symbol("n"), dtype::kInt64}}));
  EXPECT_EQ(launch_of([](KernelText& k) { k.args = "{y, n}, a"; }).args,
            (std::vector<LaunchArg>{StructArg{{TensorArg{"y"}, ExprArg{Expr::symbol("n")}}}, ScalarArg{"a"}}));
  EXPECT_EQ(launch_of([](KernelText& k) { k.dynamic_smem_bytes = "4 * n"; }).dynamic_smem_bytes, 4 * Expr::symbol("n"));
}

TEST(KernelTextTest, AcceptsEveryArgumentKind) {
  const KernelText kernel = kernel_with([](KernelText& k) { k.args = "a, x offset 4 * n, -n: i64, y"; });
  EXPECT_EQ(std::get<Launch>(kernel_program(kernel).value().variants[0].body.steps[0]).args.size(), 4U);
  const KernelText more = kernel_with([](KernelText& k) {
    k.signature = "saxpy(a: f32, x: f32[n])\n  workspace w: n bytes\n  map t: tiled f32 over x box [8]";
    k.args = "map t, w offset 4, n";
  });
  EXPECT_EQ(std::get<Launch>(kernel_program(more).value().variants[0].body.steps[0]).args.size(), 3U);
}

TEST(KernelTextTest, AcceptsMultilineSignature) {
  const Program program = kernel_program(kernel_with([](KernelText& k) {
                            k.signature =
                                "\n    saxpy(a: f32, x: f32[n],\n\n          y: inout f32[n])\n      flops 2 * n\n";
                          })).value();
  EXPECT_EQ(program.metadata.flops, 2 * Expr::symbol("n"));
  EXPECT_EQ(program.signature.params.size(), 3U);
}

TEST(KernelTextTest, ReportsErrorWithinPart) {
  EXPECT_EQ(
      told_of_part([](KernelText& k) { k.grid = "ceildiv(m, 256)"; }),
      "grid:1:9: error: no \"m\" in scope. Use symbols, integer or bool scalars, earlier lets, and loop variables in "
      "their loop.\nceildiv(m, 256)\n        ^");
  EXPECT_EQ(
      told_of_part([](KernelText& k) { k.block = "n / 4"; }),
      "block:1:3: error: \"/\" is not an operator here (it rounds in several ways). Write ceildiv(a, b) or floordiv(a, "
      "b).\nn / 4\n  ^");
  EXPECT_THAT(told_of_part([](KernelText& k) { k.dynamic_smem_bytes = "4 * q"; }),
              HasSubstr("dynamic_smem_bytes:1:5: error: no \"q\""));
  EXPECT_THAT(told_of_part([](KernelText& k) { k.args = "a, x, z, n"; }),
              HasSubstr("args:1:7: error: no \"z\" in scope"));
  EXPECT_THAT(told_of_part([](KernelText& k) { k.name = "2saxpy"; }), HasSubstr("name:1:1: error: "));
  EXPECT_EQ(told_of_part([](KernelText& k) { k.signature = "saxpy(a: f32, x: f23[n])"; }),
            "signature:1:18: error: unknown dtype \"f23\". Did you mean 'f32'? Use bool, i8 ... i64, u8 ... u64, f16, "
            "bf16, f32, "
            "f64, or one such as float8_e4m3fn or f16x4.\nsaxpy(a: f32, x: f23[n])\n                 ^~~");
}

TEST(KernelTextTest, PartsCannotExtendBeyondTheirBounds) {
  EXPECT_THAT(told_of_part([](KernelText& k) { k.grid = "ceildiv(n,"; }),
              HasSubstr("grid:1:11: error: expected an expression (the line ends).\nceildiv(n,\n          ^"));
  EXPECT_THAT(told_of_part([](KernelText& k) { k.grid = "n, 2"; }),
              HasSubstr("grid:1:2: error: several extents stand in brackets. Write \"[m, n]\", say."));
  EXPECT_THAT(told_of_part([](KernelText& k) { k.grid = "1, 256>>>() cooperative"; }), HasSubstr("grid:1:2: error: "));
  EXPECT_THAT(told_of_part([](KernelText& k) { k.args = "a, x,"; }),
              HasSubstr("args:1:6: error: expected an expression (the line ends)."));
  EXPECT_THAT(told_of_part([](KernelText& k) { k.signature = "saxpy(a: f32"; }),
              HasSubstr("signature:1:13: error: expected ')'"));
}

TEST(KernelTextTest, ReportsErrorsOfAllParts) {
  const Error error = kernel_program(kernel_with([](KernelText& k) {
                        k.signature = "saxpy(a: f33, x: f32[n])";
                        k.grid = "n / 2";
                        k.block = "m %";
                      })).error();
  EXPECT_THAT(error.message, testing::StartsWith("'signature' has an error at 1:10: unknown dtype \"f33\"."));
  EXPECT_THAT(std::string(*error.note("text")),
              testing::AllOf(HasSubstr("signature:1:10: error"), HasSubstr("\ngrid:1:3: error"),
                             HasSubstr("\nblock:1:3: error")));
  EXPECT_THAT(told_of_part([](KernelText& k) { k.signature = "saxpy(x: f32[n], x: f32[n])"; }),
              HasSubstr("signature:1:18: error: the name \"x\" is taken (a buffer at signature:1:7 has it)."));
}

TEST(KernelTextTest, RejectsCSignature) {
  const std::string write = "Write \"saxpy(a: f32, x: f32[n], y: inout f32[n])\", say.";
  for (const char* signature :
       {"void saxpy(float a, const float* x)", "__global__ void saxpy(float a)", "extern \"C\" void saxpy(float a)",
        "template <class T> void saxpy(T a)", "void saxpy(float a, const float* x) {"}) {
    EXPECT_THAT(told_of_part([&](KernelText& k) { k.signature = signature; }),
                testing::AllOf(HasSubstr("signature:1:1: error: this is a signature of C ("), HasSubstr(write)));
  }
  for (const char* parameter :
       {"const float* x", "float a", "float *x", "T* x", "uint32_t n", "Vec& x", "unsigned int n"}) {
    const std::string signature = "saxpy(y: f32[n], " + std::string(parameter) + ")";
    EXPECT_THAT(told_of_part([&](KernelText& k) { k.signature = signature; }),
                testing::AllOf(HasSubstr("signature:1:18: error: this is a signature of C ("), HasSubstr(write)));
  }
  EXPECT_THAT(told_of_part([](KernelText& k) { k.signature = "saxpy(x f32[n])"; }),
              HasSubstr("expected ':' and the type of the parameter"));
  EXPECT_THAT(told_of_part([](KernelText& k) { k.signature = "saxpy(const: f32)"; }),
              HasSubstr("\"const\" is not a name"));
}

}  // namespace
}  // namespace kmux

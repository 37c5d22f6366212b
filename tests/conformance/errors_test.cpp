// Errors: the errors that a backend returns for an invalid program, invalid options or invalid arguments.

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/features.h"

#include "programs.h"
#include "subject.h"

namespace kmux::conformance {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

Program program_with(std::string_view text, const std::string& kernel) {
  ProgramBuilder builder("faulty");
  builder.output("out", dtype::kInt32, {1});
  add_variants(builder, text, [&](const OneThread& host) { host.launch(kernel).args({"out"}); });
  return builder.build().value();
}

TEST(Errors, CompilerLogHasTheUsersLine) {
  const auto kernel =
      Subject::current().compile(program_with("KERNEL void k(int* out) {\n  *out = undeclared_name;\n}\n", "k"));
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(kernel.error().explain(), HasSubstr("undeclared_name"));
  // The suite puts one line before the source, so the mistake is in line 3.
  EXPECT_THAT(kernel.error().explain(), AnyOf(HasSubstr(":3:"), HasSubstr("(3)")));
  EXPECT_THAT(kernel.error().explain(), HasSubstr("kernels."));
}

TEST(Errors, MissingKernelIsNamed) {
  const auto kernel =
      Subject::current().compile(program_with("KERNEL void present(int* out) { *out = 1; }\n", "absent"));
  ASSERT_FALSE(kernel.ok());
  EXPECT_THAT(kernel.error().explain(), HasSubstr("absent"));
}

TEST(Errors, ATierThatThereIsNotIsNamed) {
  const auto kernel = Subject::current().compile(add_program(), {.options = {{"tier", "quickest_of_all"}}});
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(kernel.error().explain(), HasSubstr("tier"));
}

TEST(Errors, UnknownOptionIsNamed) {
  CompileOptions options;
  options.options = {{"no_such_option", "1"}};
  const auto kernel = Subject::current().compile(add_program(), options);
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(kernel.error().message, HasSubstr("no_such_option"));
}

TEST(Errors, ForbiddenCompilerFlagIsNamed) {
  CompileOptions options;
  options.compile_flags = {"-o/tmp/kmux_must_not_write_here"};
  const auto kernel = Subject::current().compile(add_program(), options);
  ASSERT_FALSE(kernel.ok());
  EXPECT_THAT(kernel.error().explain(), HasSubstr("-o/tmp/kmux_must_not_write_here"));
}

/// Calls a program with one int64 scalar n and the host steps `steps`, with n = `value`. Returns the status of the
/// call.
Status call_with(std::int64_t value, const std::function<void(const OneThread&, BodyBuilder)>& steps) {
  auto& subject = Subject::current();
  KMUX_ASSIGN(const Kernel kernel, subject.compile(trace_program(steps)));
  return kernel.launch({value, subject.zeros({16}, dtype::kInt64)});
}

TEST(Errors, FailedAssertGivesItsMessage) {
  const auto steps = [](const OneThread& host, BodyBuilder body) {
    host.builder().check(Expr::symbol("n") > Expr(0), "n must be positive");
    append(host, body, 1);
  };
  EXPECT_TRUE(call_with(1, steps).ok());
  const auto status = call_with(0, steps);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.error().message, HasSubstr("assertion failed: n must be positive"));  // C3.12
}

TEST(Errors, AFillBeyondItsBufferIsRefusedBeforeTheFirstStep) {
  auto& subject = Subject::current();
  const Kernel kernel = subject
                            .compile(trace_program([](const OneThread& host, BodyBuilder body) {
                              append(host, body, 7);
                              body.fill("log", Expr::symbol("n"), 0);
                            }))
                            .value();
  const Tensor log = subject.zeros({16}, dtype::kInt64);
  for (const std::int64_t bytes : {std::int64_t{192}, std::int64_t{1} << 60, std::int64_t{-8}}) {
    const Status refused = kernel.launch({bytes, log});
    ASSERT_FALSE(refused.ok()) << bytes;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr("fill of \"log\" writes " + std::to_string(bytes) +
                                                   " bytes (the buffer has 128). Fill at most the buffer."));
    EXPECT_EQ(subject.download<std::int64_t>(log), std::vector<std::int64_t>(16, 0));
  }
  EXPECT_TRUE(kernel.launch({std::int64_t{128}, log}).ok());
}

TEST(Errors, AFillInAGuardIsCheckedAtItsStep) {
  const auto steps = [](const OneThread& host, BodyBuilder body) {
    const Expr n = Expr::symbol("n");
    append(host, body, 7);
    body.when(n > Expr(16), [&](BodyBuilder& then) { then.fill("log", n * Expr(8)); });
  };
  EXPECT_TRUE(call_with(16, steps).ok());
  const auto status = call_with(17, steps);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.error().message, HasSubstr("fill of \"log\" writes 136 bytes (the buffer has 128)"));
}

TEST(Errors, DivisionByZeroIsAnError) {
  const auto status = call_with(0, [](const OneThread& host, BodyBuilder body) {
    append(host, body, floordiv(7, host.builder().let("d", Expr::symbol("n"))));
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
}

TEST(Errors, OverflowIsAnErrorAndNotAWrap) {
  const auto status = call_with(
      INT64_MAX, [](const OneThread& host, BodyBuilder body) { append(host, body, Expr::symbol("n") + Expr(1)); });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
}

TEST(Errors, ArgumentThatDoesNotFitIsAnError) {
  auto& subject = Subject::current();
  ProgramBuilder builder("narrow");
  const Expr n = builder.scalar("n", dtype::kInt64);
  builder.output("out", dtype::kInt32, {1});
  add_variants(builder, "KERNEL void store(int* out, int n) { *out = n; }\n",
               [&](const OneThread& host) { host.launch("store").args({"out"}).arg(n, dtype::kInt32); });
  const Kernel kernel = subject.compile(builder.build().value()).value();
  EXPECT_EQ(subject.download<int>(kernel(std::int64_t{-5}).and_then(single).value()), std::vector<int>{-5});
  EXPECT_FALSE(kernel(std::int64_t{1} << 40).ok());
}

/// Returns a program whose launch uses `feature`.
Program program_using(const std::string& feature) {
  ProgramBuilder builder("feature");
  builder.output("out", dtype::kInt32, {1});
  builder.variant("cuda").source("k.cu", "extern \"C\" __global__ void k(int* out) { *out = 1; }\n");
  LaunchBuilder launch = builder.launch("k").grid({1}).block({1}).args({"out"});
  if (feature == "cluster") launch.cluster({1});
  if (feature == "cooperative") launch.cooperative();
  if (feature == "programmatic_serialization") launch.programmatic_serialization();
  if (feature == "l2_window") launch.l2_window("out", 4);
  if (feature == "dynamic_smem") launch.dynamic_smem_bytes(1024);
  return builder.build().value();
}

TEST(Errors, FeaturesAreSupportedOrRefusedByName) {
  auto& subject = Subject::current();
  const Target target = subject.backend().resolve_target("auto", 0).value();
  for (const char* feature : {"cluster", "cooperative", "programmatic_serialization", "l2_window", "dynamic_smem"}) {
    const Program program = program_using(feature);
    const auto missing = subject.backend().supports({program, 0, target, {}}).value();
    const auto& features = subject.plugin()->manifest().features;
    const bool declared = std::find(features.begin(), features.end(), feature) != features.end();
    const bool named = std::any_of(missing.begin(), missing.end(), [&](const auto& m) { return m.feature == feature; });
    EXPECT_NE(declared, named) << feature;
  }
}

// Before a plugin is opened, its manifest decides; dialects that only the code reports would never be queried (C3.11).
TEST(Errors, DialectsAreThoseOfTheManifest) {
  auto& subject = Subject::current();
  const Target target = subject.backend().resolve_target("auto", 0).value();
  const auto& dialects = subject.plugin()->manifest().dialects;
  std::set<std::string> names(dialects.begin(), dialects.end());  // may include names unknown to the tree
  for (const kmux::Dialect& dialect : all_dialects()) names.emplace(dialect.name);
  for (const std::string& name : names) {
    const Program program{.name = "p", .variants = {Variant{.dialect = name}}};
    const auto missing = subject.backend().supports({program, 0, target, {}});
    ASSERT_TRUE(missing.ok()) << name << ": " << missing.error().explain();
    const bool declared = std::find(dialects.begin(), dialects.end(), name) != dialects.end();
    const bool refused =
        std::any_of(missing->begin(), missing->end(), [](const auto& m) { return m.feature == "dialect"; });
    EXPECT_NE(declared, refused) << name << ": the manifest " << (declared ? "has it" : "does not have it");
  }
}

} // namespace
} // namespace kmux::conformance

#include "dialect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workbench.h"

namespace kmux::cutedsl {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string printed(const ProgramBuilder& builder) {
  const Program program = builder.build().value();
  const Entries entries = make_entries(program, 0).value();
  CuteDialect dialect(program.signature, entries, launch_checks(program.signature, program.name).value());
  return emit_launcher(entries.plan, dialect, "body");
}

TEST(CuteDialectTest, PassesTensorAddressAndDynamicExtents) {
  ProgramBuilder builder = vector_program("");
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  EXPECT_THAT(printed(builder), AllOf(HasSubstr("struct kmux_view_0_0 { void* data; int shape[1]; };"),
                                      HasSubstr("const long long kmux_extent_0_0 = kmux_cast"),
                                      HasSubstr("kmux_view_0_0 kmux_arg_0 = {slots[0].ptr, {(int)kmux_extent_0_0}};")));
}

TEST(CuteDialectTest, SkipsCheckOfInt32Extents) {
  ProgramBuilder builder("sample");
  const Expr n = builder.symbol("n", dtype::kInt32);
  builder.buffer("x", BufferParam{dtype::kFloat32, {n, n}}).variant("cutedsl").source("kernels.py", "");
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  EXPECT_THAT(printed(builder), HasSubstr("{slots[0].ptr, {(int)n, (int)n}, {n}};"));
}

TEST(CuteDialectTest, PassesStaticTensorAsAddress) {
  ProgramBuilder builder("sample");
  builder.buffer("x", BufferParam{dtype::kFloat32, {4, 8}}).variant("cutedsl").source("kernels.py", "");
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  EXPECT_THAT(printed(builder), AllOf(HasSubstr("void* kmux_arg_0 = slots[0].ptr;"), Not(HasSubstr("kmux_view_0"))));
}

TEST(CuteDialectTest, PassesSameArgumentsToHostFunction) {
  ProgramBuilder builder = vector_program("");
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  builder.launch("softmax").args({"x"}).arg(7);
  EXPECT_THAT(printed(builder), AllOf(HasSubstr("{  // host function softmax"),
                                      HasSubstr("struct kmux_view_1_0 { void* data; int shape[1]; };"),
                                      HasSubstr("void* kmux_args[] = {&kmux_arg_0, &kmux_arg_1, nullptr};"),
                                      HasSubstr("static const kmux_host_function kmux_host = {\"softmax\", 0, 2, 1};"),
                                      HasSubstr("kmux_call_host(env, kmux_host, kmux_args, error)")));
}

TEST(CuteDialectTest, AppendsSpareByte) {
  ProgramBuilder builder = vector_program("");
  builder.launch("scale").grid({1}).block({128}).args({"x"}).arg(1);
  EXPECT_THAT(printed(builder), AllOf(HasSubstr("unsigned char kmux_arg_2 = 0;"),
                                      HasSubstr("void* kmux_args[] = {&kmux_arg_0, &kmux_arg_1, &kmux_arg_2};")));
}

TEST(CuteDialectTest, ReportsPackedSizes) {
  ProgramBuilder builder = vector_program("");
  builder.launch("scale").grid({1}).block({128}).args({"x"}).arg(1);
  const auto pack = pack_of(make_entries(builder.build().value(), 0).value().list[0]);
  EXPECT_THAT(pack.sizes, ElementsAre(16u, 4u));
  EXPECT_TRUE(pack.spare);
}

}  // namespace
}  // namespace kmux::cutedsl

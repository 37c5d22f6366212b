#include "kmux/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::HasSubstr;

std::string canonical(std::string_view text) { return to_string(parse_target(text).value()); }

TEST(TargetTest, ParsesCanonicalForm) {
  for (const std::string_view text : {"auto", "c", "cuda:sm_90a", "cpu:znver4,features=+avx512f",
                                      "cpu:x86-64-v3,features=+avx2,+fma,tune=generic", "kind,a=1,b="}) {
    EXPECT_EQ(canonical(text), text);
  }
  const Target target = parse_target("cpu:znver4,features=+avx2,+fma,tune=generic").value();
  EXPECT_EQ(target.kind, "cpu");
  EXPECT_EQ(target.arch, "znver4");
  EXPECT_EQ(target.attributes, (NameMap<std::string>{{"features", "+avx2,+fma"}, {"tune", "generic"}}));
}

TEST(TargetTest, ParsesOptions) {
  EXPECT_EQ(canonical("cuda -arch=sm_90a"), "cuda:sm_90a");
  EXPECT_EQ(canonical("cuda -arch sm_90a"), "cuda:sm_90a");
  EXPECT_EQ(canonical("llvm -mcpu=skylake -mattr=+avx2,+fma"), "llvm:skylake,mattr=+avx2,+fma");
  EXPECT_EQ(canonical("  c --system-lib  "), "c,system-lib=1");
}

TEST(TargetTest, ParsesJson) {
  EXPECT_EQ(canonical(R"({"kind":"cuda","arch":"sm_90a"})"), "cuda:sm_90a");
  EXPECT_EQ(canonical(R"({"kind":"llvm","mcpu":"skylake","keys":["cpu"],"tag":"","host":{"kind":"llvm"}})"),
            "llvm:skylake");
  EXPECT_EQ(canonical(R"({"kind":"cuda","max_num_threads":1024,"libs":["a","b"],"fast":true})"),
            "cuda,fast=1,libs=a,b,max_num_threads=1024");
}

TEST(TargetTest, SortsAttributesAndLowercasesKind) { EXPECT_EQ(canonical("CUDA:sm_90,b=1,a=2"), "cuda:sm_90,a=2,b=1"); }

TEST(TargetTest, RejectsMalformedText) {
  for (const std::string text : {"", "  ", ":sm_90", "cuda:", "cuda:sm/90", "cuda,arch", "cuda:a,b", "cuda,a=1,a=2",
                                 "cu da", "cuda arch=1", "{", "{}", R"({"kind":3})", R"({"kind":"c","x":{}})",
                                 R"({"kind":"c","x":"a,b=1"})", R"({"kind":"c","x":[[1]]})", "cuda\n:x", "a,=1"}) {
    const auto result = parse_target(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument) << text;
  }
  EXPECT_THAT(parse_target("cuda,arch").error().message, HasSubstr("\"cuda,arch\""));
  EXPECT_THAT(parse_target("cuda,arch").error().message, HasSubstr("kind:arch"));
  EXPECT_THAT(parse_target("{\"kind\": cuda}").error().message,  // C2.11
              HasSubstr("malformed target \"{\\\"kind\\\": cuda}\" (malformed JSON at line 1, column 10"));
  EXPECT_THAT(parse_target("{").error().message, HasSubstr("kind:arch"));
}

}  // namespace
}  // namespace kmux

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device.h"
#include "simt/frontend/installation.h"

namespace kmux::cpu {

using namespace simt;
namespace {

using testing::HasSubstr;

std::string canonical(std::string_view request) { return to_string(resolve_cpu_target(request).value()); }

TEST(TargetTest, DefaultsToHost) {
  for (const char* request : {"auto", "", "cpu", "c", "llvm", "cpu:native", "CPU"}) {
    EXPECT_EQ(canonical(request), "cpu:" + host_cpu().name) << request;
  }
}

#if defined(__x86_64__)
TEST(TargetTest, ParsesProcessorNames) {
  for (const char* request : {"cpu:x86-64-v3", "llvm -mcpu=x86-64-v3", "c -mcpu=x86-64-v3", "llvm:x86-64-v3"}) {
    EXPECT_EQ(canonical(request), "cpu:x86-64-v3") << request;
  }
}

TEST(TargetTest, ParsesAArch64ProcessorNames) {
  for (const char* request : {"cpu:neoverse-v2", "llvm -mcpu=neoverse-v2 -mtriple=aarch64-unknown-linux-gnu"})
    EXPECT_EQ(canonical(request), "cpu:neoverse-v2") << request;
  EXPECT_FALSE(resolve_cpu_target("llvm -mcpu=neoverse-v2 -mtriple=x86_64-pc-linux-gnu").ok());
  EXPECT_FALSE(resolve_cpu_target("cpu:generic").ok()) << "of which machine?";
}
#endif

TEST(TargetTest, RejectsUnknownTargets) {
  const std::pair<const char*, const char*> cases[] = {
      {"cuda:sm_90", "target \"cuda:sm_90\" is not one of backend cpu"},
      {"cpu:neoverse-v22", "processor \"neoverse-v22\" is not known to LLVM. Did you mean 'neoverse-v2'?"},
      {"cpu:znver4,colour=red", "target attribute \"colour=red\" is unknown"},
      {"llvm -mtriple=aarch64-none", "target attribute \"mtriple=aarch64-none\""},
  };
  for (const auto& [request, message] : cases) {
    const auto target = resolve_cpu_target(request);
    ASSERT_FALSE(target.ok()) << request;
    EXPECT_EQ(target.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(target.error().message, HasSubstr(message));
  }
}

#if defined(__x86_64__)
TEST(TargetTest, SatisfiesLesserProcessors) {
  const Target target{"cpu", "x86-64-v3", {}};
  EXPECT_TRUE(satisfies(target, "x86-64-v3"));
  EXPECT_TRUE(satisfies(target, "x86-64-v2"));
  EXPECT_FALSE(satisfies(target, "x86-64-v4"));
  EXPECT_FALSE(satisfies(target, "i486-of-the-moon"));
  EXPECT_TRUE(has_feature(target, "avx2"));
  EXPECT_FALSE(has_feature(target, "avx512f"));
  EXPECT_FALSE(satisfies(target, "neoverse-n1"));
  EXPECT_FALSE(satisfies({"cpu", "neoverse-v2", {}}, "x86-64"));
}
#endif

TEST(TargetTest, SatisfiesLesserAArch64Processors) {
  const Target target{"cpu", "neoverse-v2", {}};
  EXPECT_TRUE(satisfies(target, "neoverse-v2"));
  EXPECT_TRUE(satisfies(target, "cortex-a510"));
  EXPECT_FALSE(satisfies(target, "neoverse-n1")) << "AES is an option of the one and a part of the other";
  EXPECT_FALSE(satisfies({"cpu", "neoverse-n1", {}}, "neoverse-v2"));
  EXPECT_TRUE(has_feature(target, "sve2"));
  EXPECT_FALSE(has_feature({"cpu", "neoverse-n1", {}}, "sve"));
}

}  // namespace
}  // namespace kmux::cpu

#include "kmux/kernel_attributes.h"

#include <gmock/gmock.h>

namespace kmux {
namespace {

using testing::HasSubstr;

Artifact artifact_with(std::string part) {
  Artifact artifact;
  artifact.set("kernels.json", std::move(part));
  return artifact;
}

constexpr const char* kTwo =
    R"([{"kernel":"a","registers":34,"local_bytes":240,"shared_bytes":400,"constant_bytes":256,"max_threads":512},)"
    R"({"kernel":"b<int>","registers":8,"local_bytes":0,"shared_bytes":0,"constant_bytes":256,"max_threads":1024}])";

TEST(KernelAttributes, AreReadFromTheArtifact) {
  const auto kernels = attributes_of(artifact_with(kTwo), "toy").value();
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].to_string(),
            "a: 34 registers and 240 bytes of local memory a thread, 400 bytes of shared memory a block, 256 bytes of "
            "constants, at most 512 threads a block");
  EXPECT_EQ(kernels[1].kernel, "b<int>");
  EXPECT_EQ(kernels[1].max_threads, 1024);
}

TEST(KernelAttributes, OfABackendThatDoesNotSayThemAreUnsupportedByName) {
  const Error error = attributes_of({}, "toy").error();
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("backend \"toy\" does not say what its kernels take"));
}

TEST(KernelAttributes, ThatAreDamagedAreRefused) {
  for (const char* part : {"", "{}", "[1]", R"([{"kernel":"a"}])", R"([{"kernel":"a","registers":"many"}])"}) {
    const auto kernels = attributes_of(artifact_with(part), "toy");
    ASSERT_FALSE(kernels.ok()) << part;
    EXPECT_EQ(kernels.error().code, ErrorCode::kInvalidArgument) << part;
    EXPECT_THAT(kernels.error().message, HasSubstr("is damaged")) << part;
  }
}

}  // namespace
}  // namespace kmux

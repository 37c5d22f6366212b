#include "adapter.h"

#include <thread>

#include "kmux/plugin/plan.h"
#include "kmux/plugin/sink.h"

#include "meta.h"
#include "workbench.h"

namespace kmux::metal {
namespace {

using testing::Each;
using testing::HasSubstr;

class MetalAdapterTest : public MetalTest {
 protected:
  static FakeMetal& fake_of(void* self) { return static_cast<MetalAdapterTest*>(static_cast<MetalTest*>(self))->fake; }
};

TEST_F(MetalAdapterTest, LaunchesKernel) {
  const auto adapter = load(one_kernel(kAddOne).build().value());
  float* const x = upload(std::vector<float>(200, 1));
  EXPECT_TRUE(adapter->prepare(0).ok());
  EXPECT_EQ(launch(*adapter, {slot(x), slot(150)}), KMUX_OK) << said;
  const std::vector<float> values = download(x, 200);
  EXPECT_THAT(std::vector<float>(values.begin(), values.begin() + 150), Each(2));
  EXPECT_THAT(std::vector<float>(values.begin() + 150, values.end()), Each(1));
}

TEST_F(MetalAdapterTest, HonorsPointerOffsets) {
  const auto adapter = load(one_kernel(kAddOne).build().value());
  float* const x = upload(std::vector<float>(10, 1));
  EXPECT_EQ(launch(*adapter, {slot(x + 4), slot(2)}), KMUX_OK) << said;
  EXPECT_THAT(download(x, 10), testing::ElementsAre(1, 1, 1, 1, 2, 2, 1, 1, 1, 1));
}

TEST_F(MetalAdapterTest, LaunchesFromConcurrentThreads) {
  const auto adapter = load(one_kernel(kAddOne).build().value());
  std::vector<float*> memory;
  for (int i = 0; i < 4; ++i) memory.push_back(upload(std::vector<float>(64, 0)));
  std::vector<std::thread> threads;
  for (float* const x : memory) {
    threads.emplace_back([this, x, &adapter] {
      const kmux_slot slots[] = {slot(x), slot(64)};
      const kmux_launch_env env{sizeof(kmux_launch_env), 0, nullptr, &allocator, 0, 0};
      std::string text;
      for (int i = 0; i < 25; ++i) EXPECT_EQ(adapter->entry()(slots, env, append_to(text)), KMUX_OK);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (float* const x : memory) EXPECT_THAT(download(x, 64), Each(25));
}

TEST_F(MetalAdapterTest, RejectsUnknownDevices) {
  const auto adapter = load(one_kernel(kAddOne).build().value());
  EXPECT_EQ(adapter->prepare(1).error().code, ErrorCode::kInvalidArgument);
  const kmux_slot slots[] = {slot(nullptr), slot(0)};
  const kmux_launch_env env{sizeof(kmux_launch_env), 1, nullptr, &allocator, 0, 0};
  EXPECT_EQ(adapter->entry()(slots, env, append_to(said)), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(said, HasSubstr("device 1 does not exist"));
}

TEST_F(MetalAdapterTest, RejectsArtifactWithMissingPart) {
  const Artifact whole = build(one_kernel(kAddOne).build().value()).value();
  for (const char* part : {"code", "plan", "meta.json"}) {
    Artifact artifact = whole;
    std::erase_if(artifact.parts, [&](const Artifact::Part& each) { return each.name == part; });
    const auto adapter = backend->load(artifact, 0);
    EXPECT_EQ(adapter.error().code, ErrorCode::kInvalidArgument) << part;
    EXPECT_THAT(adapter.error().message, HasSubstr(part));
  }
}

TEST_F(MetalAdapterTest, RejectsTooManyWorkspaces) {
  ProgramBuilder builder = one_kernel(kAddOne);
  for (int i = 0; i < 65; ++i) builder.workspace("w" + std::to_string(i), 16);
  const auto adapter = backend->load(build(builder.build().value()).value(), 0);
  EXPECT_EQ(adapter.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(adapter.error().message, HasSubstr("65 workspaces"));
}

// No other user of the stream may get a workspace before the call that uses it is committed.
TEST_F(MetalAdapterTest, FreesWorkspacesAfterCommit) {
  ProgramBuilder builder("workspace");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).variant("msl").source("k.metal", kAddOne);
  builder.workspace("w", n * 4);
  builder.launch("k").grid({1}).block({64}).args({"w"}).arg(n, dtype::kInt32);
  const auto adapter = load(builder.build().value());
  float* const x = upload(std::vector<float>(8, 0));
  allocator.free = [](void* self, int32_t, void*, void*) {
    EXPECT_THAT(fake_of(self).messages(), testing::Contains("MTLCommandBuffer commit"));
  };
  fake.messages();
  EXPECT_EQ(launch(*adapter, {slot(x), slot(8)}), KMUX_OK) << said;
}

}  // namespace
}  // namespace kmux::metal

// Option graph = on: bodies replayed as graphs give the same results as plain launches, whatever happens in between.
#include <algorithm>
#include <thread>

#include "adapter.h"
#include "device.h"
#include "over_fake.h"

namespace kmux::hip {
namespace {

using fake_hip::CaptureMode;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kTwiceAndAdd = R"(
extern "C" __global__ void twice(float* to, const float* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 2 * from[i];
}
extern "C" __global__ void add(float* to, const float* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}
)";
constexpr std::size_t kCount = 100;

// y = 2 * x through a workspace; + x where `more` is not 0.
ProgramBuilder doubling() {
  ProgramBuilder builder("doubling");
  const Expr n = builder.symbol("n");
  builder.buffer("y", BufferParam{dtype::kFloat32, {n}}).buffer("x", BufferParam{dtype::kFloat32, {n}});
  const Expr more = builder.scalar("more", dtype::kInt32);
  builder.variant("hip").source("k.hip", kTwiceAndAdd).workspace("w", n * 4);
  BodyBuilder body = builder.body();
  body.fill("y", n * 4);
  body.launch("twice").grid({ceildiv(n, 64)}).block({64}).args({"w", "x"}).arg(n, dtype::kInt32);
  body.launch("add").grid({ceildiv(n, 64)}).block({64}).args({"y", "w"}).arg(n, dtype::kInt32);
  body.when(more > 0, [&](BodyBuilder& then) {
    then.launch("add").grid({ceildiv(n, 64)}).block({64}).args({"y", "x"}).arg(n, dtype::kInt32);
  });
  return builder;
}

// One block of memory for workspaces, whose content is invalidated when it is freed.
struct Workspace {
  std::vector<float> memory = std::vector<float>(kCount);
  kmux_allocator api = {
      sizeof(kmux_allocator), this,
      [](void* self, int32_t, void*, size_t, size_t, void** address) -> kmux_code {
        *address = static_cast<Workspace*>(self)->memory.data();
        return KMUX_OK;
      },
      [](void* self, int32_t, void*, void*) { std::ranges::fill(static_cast<Workspace*>(self)->memory, -1e6F); }};
};

class HipGraphsTest : public OverFake {
 protected:
  HipGraphsTest() { options["graph"] = "on"; }

  Status call(Adapter& adapter, const DeviceVector& y, const DeviceVector& x, int more, void* stream = nullptr,
              unsigned lane = 0, int device = 0) {
    FailureText failure;
    Workspace workspace;
    const kmux_slot slots[] = {slot(y.address()), slot(x.address()), slot(more), slot(std::int64_t{kCount})};
    const kmux_launch_env env = {sizeof env, device, stream, &workspace.api, lane, 0};
    return failure.status(adapter.launch(slots, env, failure.sink()));
  }
  void set(const DeviceVector& x, float value) {
    std::vector<float> values(kCount, value);
    backend.devices().copy(0, nullptr, x.address(), values.data(), kCount * 4, KMUX_COPY_HOST_TO_DEVICE).value();
  }
  std::size_t count(const std::string& symbol) const { return std::ranges::count(fake->calls(), symbol); }
  // Returns the calls of `call`, except those about devices and captures.
  template <class Call>
  std::vector<std::string> work_of(const Call& call) {
    fake->clear_calls();
    call();
    return work();
  }
};

TEST_F(HipGraphsTest, AreBuiltOnceAndUpdated) {
  const auto adapter = loaded(doubling());
  adapter->prepare(0).value();
  const DeviceVector x(backend, kCount), y(backend, kCount), other(backend, kCount);
  set(x, 3), set(other, 5);
  EXPECT_THAT(work_of([&] { call(*adapter, y, x, 0).value(); }),
              ElementsAre("hipGraphCreate", "hipGraphAddMemsetNode", "hipGraphAddKernelNode", "hipGraphAddKernelNode",
                          "hipGraphInstantiate", "hipGraphLaunch"));
  EXPECT_THAT(y.values(), Each(6.0F));
  // Another workspace each time: both kernels receive it.
  EXPECT_THAT(work_of([&] { call(*adapter, y, other, 0).value(); }), Contains("hipGraphLaunch"));
  EXPECT_THAT(y.values(), Each(10.0F));
  EXPECT_EQ(count("hipGraphCreate") + count("hipModuleLaunchKernel"), 0);
  call(*adapter, y, x, 1).value();
  EXPECT_THAT(y.values(), Each(9.0F));
  EXPECT_EQ(count("hipGraphInstantiate"), 1) << "for the step that is new";
  EXPECT_THAT(work_of([&] { call(*adapter, y, x, 0).value(); }), Contains("hipGraphNodeSetEnabled"));
  EXPECT_THAT(y.values(), Each(6.0F));
  call(*adapter, y, x, 1).value();
  EXPECT_THAT(y.values(), Each(9.0F));
  EXPECT_EQ(count("hipGraphInstantiate") + count("hipModuleLaunchKernel"), 0);
}

TEST_F(HipGraphsTest, UnchangedGraphIsOnlyLaunched) {
  ProgramBuilder builder = one_kernel(kAddOne);
  builder.launch("k").grid({1}).block({64}).args({"x"}).arg(Expr::symbol("n"), dtype::kInt32);
  const auto adapter = loaded(builder);
  const DeviceVector x(backend, 64);
  const std::vector<kmux_slot> slots = {slot(x.address()), slot(64)};
  launch(*adapter, slots).value();
  EXPECT_THAT(work_of([&] { launch(*adapter, slots).value(); }), ElementsAre("hipGraphLaunch"));
  EXPECT_THAT(x.values(), Each(4.0F));
}

// On two streams, without a wait in between.
TEST_F(HipGraphsTest, ComputeOnTheDevice) {
  ProgramBuilder builder = one_kernel(kAddOne);
  builder.launch("k").grid({1}).block({64}).args({"x"}).arg(Expr::symbol("n"), dtype::kInt32);
  const auto adapter = loaded(builder);
  void* const stream = backend.devices().stream_create(0).value();
  {
    const DeviceVector x(backend, 64), y(backend, 64);
    for (int i = 0; i < 3; ++i) {
      launch(*adapter, {slot(x.address()), slot(64)}).value();
      launch(*adapter, {slot(y.address()), slot(64 - i)}, 0, stream).value();
    }
    backend.devices().stream_synchronize(0, nullptr).value();
    backend.devices().stream_synchronize(0, stream).value();
    EXPECT_THAT(x.values(), Each(6.0F));
    std::vector<float> expected(62, 6.0F);
    expected.insert(expected.end(), {4.0F, 2.0F});
    EXPECT_EQ(y.values(), expected);
  }
  adapter->prepare(0).value();
  backend.devices().stream_destroy(0, stream);
}

TEST_F(HipGraphsTest, RequireOptionAndSuitableBody) {
  ProgramBuilder cooperative = one_kernel(kAddOne);
  cooperative.launch("k").grid({1}).block({64}).cooperative().args({"x"}).arg(Expr::symbol("n"), dtype::kInt32);
  ProgramBuilder loop = one_kernel(kAddOne);
  loop.body().loop("i", 0, 2, [](BodyBuilder& steps, const Expr&) {
    steps.launch("k").grid({1}).block({64}).args({"x"}).arg(Expr::symbol("n"), dtype::kInt32);
  });
  ProgramBuilder two = one_kernel(kAddOne);
  two.launch("k").grid({1}).block({64}).args({"x"}).arg(Expr::symbol("n"), dtype::kInt32);
  const DeviceVector x(backend, 64);
  const auto launches = [&](const ProgramBuilder& builder) {
    const auto adapter = loaded(builder);
    fake->clear_calls();
    launch(*adapter, {slot(x.address()), slot(64)}).value();
    return count("hipModuleLaunchKernel") + count("hipModuleLaunchCooperativeKernel");
  };
  EXPECT_EQ(launches(two), 0);
  EXPECT_EQ(launches(one_kernel(kAddOne)), 1);
  EXPECT_EQ(launches(cooperative), 2);
  EXPECT_EQ(launches(loop), 3);
  options.clear();
  EXPECT_EQ(launches(two), 2);
}

TEST_F(HipGraphsTest, CaptureLaunchesKernelsDirectly) {
  const auto adapter = loaded(doubling());
  void* const stream = backend.devices().stream_create(0).value();
  {
    const DeviceVector x(backend, kCount), y(backend, kCount);
    set(x, 3);
    call(*adapter, y, x, 0, stream).value();
    EXPECT_EQ(count("hipGraphLaunch"), 1);
    fake->begin_capture(stream, CaptureMode::kGlobal);
    fake->clear_calls();
    call(*adapter, y, x, 1, stream).value();
    EXPECT_EQ(count("hipModuleLaunchKernel"), 3);
    EXPECT_EQ(count("hipGraphLaunch"), 0);
    void* graph = nullptr;
    EXPECT_EQ(fake->end_capture(stream, &graph), 0);
    fake->destroy_graph(graph);
    EXPECT_THAT(host.log, HasSubstr("\"doubling\" is launched kernel by kernel on device 0 (a capture records"));
    call(*adapter, y, x, 1, stream).value();
    EXPECT_EQ(count("hipGraphLaunch"), 1);
    EXPECT_THAT(y.values(), Each(9.0F));
  }
  backend.devices().stream_destroy(0, stream);
  kept.modules = 1;  // the code, for the graph of the capture
}

TEST_F(HipGraphsTest, FollowCallStream) {
  const auto adapter = loaded(doubling());
  void* const stream = backend.devices().stream_create(0).value();
  const DeviceVector x(backend, kCount), y(backend, kCount);
  set(x, 3);
  call(*adapter, y, x, 0).value();
  EXPECT_THAT(work_of([&] { call(*adapter, y, x, 0, stream).value(); }), Contains("hipGraphLaunch"));
  EXPECT_EQ(count("hipGraphInstantiate") + count("hipModuleLaunchKernel"), 0);
  EXPECT_THAT(y.values(), Each(6.0F));
  backend.devices().stream_destroy(0, stream);
}

TEST_F(HipGraphsTest, BelongToOneDevicePerLane) {
  fake->set_devices({{}, {}});
  const auto adapter = loaded(doubling());
  const DeviceVector x(backend, kCount), y(backend, kCount);
  set(x, 3);
  call(*adapter, y, x, 0).value();
  adapter->prepare(1).value();
  fake->clear_calls();
  call(*adapter, y, x, 0, nullptr, 0, 1).value();
  EXPECT_EQ(count("hipModuleLaunchKernel"), 2);
  EXPECT_THAT(host.log, HasSubstr("kernel by kernel on device 1 (the graph of this thread is on another device)"));
  call(*adapter, y, x, 0, nullptr, 1, 1).value();
  EXPECT_EQ(count("hipGraphLaunch"), 1) << "another lane has its own";
  EXPECT_THAT(y.values(), Each(6.0F));
}

TEST_F(HipGraphsTest, AreRebuiltWhenFillCannotMove) {
  const auto adapter = loaded(doubling());
  const DeviceVector x(backend, kCount), y(backend, kCount), z(backend, kCount);
  set(x, 3);
  call(*adapter, y, x, 0).value();
  fake->fail("hipGraphExecMemsetNodeSetParams", kInvalidValue, 1);
  EXPECT_THAT(work_of([&] { call(*adapter, z, x, 0).value(); }), Contains("hipGraphInstantiate"));
  EXPECT_THAT(z.values(), Each(6.0F));
}

TEST_F(HipGraphsTest, InvalidLaunchReportsErrorWithoutLaunching) {
  ProgramBuilder builder = one_kernel(kAddOne);
  builder.launch("k").grid({1}).block({64}).dynamic_smem_bytes(Expr::symbol("n") * 1024);
  const auto adapter = loaded(builder);
  const DeviceVector x(backend, 64);
  EXPECT_THAT(launch(*adapter, {slot(x.address()), slot(65)}).error().message,
              HasSubstr("kernel \"k\" requests 66560 bytes of dynamic shared memory"));
  EXPECT_THAT(x.values(), Each(0.0F));
  EXPECT_EQ(count("hipGraphLaunch"), 0);
}

// For every HIP call that fails once: returns an error with its number and a correct result afterwards, and leaves
// nothing behind except objects that cannot be unloaded without a wait.
TEST_F(HipGraphsTest, SurviveEveryFailure) {
  const Artifact artifact = built(doubling().build().value());
  const DeviceVector x(backend, kCount), y(backend, kCount);
  set(x, 3);
  const auto* const result = static_cast<const float*>(y.address());
  const fake_hip::Live first = fake->live();
  fake_hip::Live before = first;
  for (const int code : {2, 719}) {
    bool has_failed = true;
    for (unsigned nth = 1; has_failed && nth < 500; ++nth) {
      fake->reset();
      auto adapter = backend.load(artifact, 0).value();
      fake->fail("", code, nth);
      for (const int more : {0, 1, 0}) {
        const Status done = call(*adapter, y, x, more);
        if (!done.ok()) {
          EXPECT_THAT(done.error().message, HasSubstr(std::to_string(code))) << fake->failed();
          EXPECT_TRUE(call(*adapter, y, x, more).ok()) << fake->failed();
        }
        EXPECT_THAT(std::vector<float>(result, result + kCount), Each(more == 0 ? 6.0F : 9.0F)) << fake->failed();
      }
      adapter.reset();
      has_failed = !fake->failed().empty();
      const fake_hip::Live now = fake->live();
      EXPECT_LE(now.modules, before.modules + 1) << fake->failed();
      EXPECT_LE(now.graphs - before.graphs, 2 * (now.modules - before.modules)) << fake->failed();
      before = now;
      int mode = kCaptureModeGlobal;
      opened_hip(host).value()->exchange_capture_mode(&mode);
    }
    EXPECT_FALSE(has_failed);
  }
  kept = {.modules = before.modules - first.modules, .graphs = before.graphs - first.graphs};
  fake->reset();
}

TEST_F(HipGraphsTest, SupportConcurrentThreads) {
  const auto adapter = loaded(doubling());
  adapter->prepare(0).value();
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const DeviceVector x(backend, kCount), y(backend, kCount);
      set(x, static_cast<float>(t));
      for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(call(*adapter, y, x, i % 2, nullptr, t % 3).ok());
        ASSERT_THAT(y.values(), Each(static_cast<float>(t) * static_cast<float>(2 + i % 2)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Runs on a release that lacks functions.
class HipGraphsOfOldReleasesTest : public HipGraphsTest {
 protected:
  HipGraphsOfOldReleasesTest() : hip(*opened_hip(host).value()) {}

  std::string launched() {
    LoadedParts parts = read_parts(built(doubling().build().value())).value();
    const PlanRunner runner = PlanRunner::compile(parts.plan).value();
    const Facts facts(parts.plan, std::move(parts.kernels), {.graph = true});
    const DeviceVector x(backend, kCount), y(backend, kCount);
    set(x, 3);
    FailureText failure;
    Workspace workspace;
    Launcher launcher(parts.code.data(), facts.view(), places_of(host), Log{}, &hip);
    for (const int more : {0, 1, 0, 0, 1}) {
      const kmux_slot slots[] = {slot(y.address()), slot(x.address()), slot(more), slot(std::int64_t{kCount})};
      const kmux_launch_env env = {sizeof env, 0, nullptr, &workspace.api, 0, 0};
      const Status done =
          failure.status(launcher.call(env, failure.sink(), [&](const kmux_driver_env& own, kmux_sink to) {
            return runner.launch(slots, own, to);
          }));
      if (!done.ok()) return done.error().message;
      EXPECT_THAT(y.values(), Each(more == 0 ? 6.0F : 9.0F));
    }
    return "";
  }

  HipTable hip;
};

TEST_F(HipGraphsOfOldReleasesTest, AreRebuiltWithoutNodeDisabling) {
  hip.node_enable = nullptr;
  fake->clear_calls();
  EXPECT_EQ(launched(), "");
  EXPECT_EQ(count("hipGraphInstantiate"), 4) << "once for each change of mind";
  EXPECT_EQ(count("hipGraphLaunch"), 5);
  EXPECT_EQ(count("hipModuleLaunchKernel"), 0);
}

TEST_F(HipGraphsOfOldReleasesTest, AreRejectedWithoutMemsetNodes) {
  hip.graph_add_memset = nullptr;
  EXPECT_EQ(launched(),
            "option \"graph\" is on for \"doubling\" (this release of HIP's runtime has no hipGraphAddMemsetNode). "
            "Install ROCm 5.0 or newer, or turn the option off.");
  EXPECT_EQ(count("hipGraphCreate"), 0);
}

}  // namespace
}  // namespace kmux::hip

#include "kmux/kernel.h"

#include <array>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "in_process_plugin.h"

namespace kmux {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Expr kKernelM = Expr::symbol("m");
const Expr kKernelN = Expr::symbol("n");
const DType kKernelF32 = dtype::kFloat32;

Tensor zeros(std::vector<std::int64_t> shape, DType type = kKernelF32) {
  return Tensor::zeros(std::move(shape), type).value();
}

// Computes B[i] = 2 * A[i], for A and B of n elements: slots A, B, n.
kmux_code twice(const kmux_slot* slots, const kmux_launch_env&, kmux_sink) {
  const auto* from = static_cast<const float*>(slots[0].ptr);
  auto* to = static_cast<float*>(slots[1].ptr);
  for (std::int64_t i = 0; i < slots[2].i64; ++i) to[i] = 2 * from[i];
  return KMUX_OK;
}

Signature twice_signature(std::vector<std::string> outputs = {"B"}) {
  return fake_signature({buffer_param("A", kKernelF32, {kKernelN}), buffer_param("B", kKernelF32, {kKernelN})},
                        std::move(outputs));
}

Kernel kernel_of(Signature signature, FakeLaunch launch = {}) {
  return make_kernel(fake_parts(std::move(signature), std::move(launch))).value();
}

TEST(KernelTest, AllocatesItsOutputs) {
  const Kernel kernel = kernel_of(twice_signature(), twice);
  const std::array<float, 3> values{1, 2, 3};
  const Tensor a = Tensor::from<float>({3}, kKernelF32, values).value();
  const Tensor b = kernel(a).and_then(single).value();
  EXPECT_THAT(std::vector<float>(b.data_as<float>(), b.data_as<float>() + 3), ElementsAre(2, 4, 6));
  EXPECT_EQ(b.device(), kernel.device());
}

TEST(KernelTest, IsCallableAfterMove) {
  Kernel kernel = kernel_of(twice_signature(), twice);
  const Kernel taken = std::move(kernel);
  Kernel assigned = kernel_of(twice_signature(), twice);
  assigned = std::move(kernel);
  for (const Kernel& each : {kernel, taken, assigned}) EXPECT_TRUE(each(zeros({3})).ok());
}

TEST(KernelTest, SelectsOutputsByPosition) {
  KernelParts parts = fake_parts(twice_signature({}), twice);
  parts.out_idx = {-1};
  const Kernel kernel = make_kernel(std::move(parts)).value();
  EXPECT_THAT(kernel.signature().outputs, ElementsAre("B"));
  EXPECT_EQ(kernel(zeros({5})).value()[0].shape()[0], 5);
}

TEST(KernelTest, RejectsOutIdxWithDeclaredOutputs) {
  KernelParts parts = fake_parts(twice_signature());
  parts.out_idx = {1};
  const auto kernel = make_kernel(std::move(parts));
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(kernel.error().message, HasSubstr("out_idx"));
}

TEST(KernelTest, SizesOutputsAfterAllInputs) {
  // The output comes first; one of its extents depends on a later tensor, one on a scalar.
  const Kernel kernel =
      kernel_of(fake_signature({buffer_param("C", kKernelF32, {kKernelM * Expr(4), Expr::symbol("s")}),
                                buffer_param("A", kKernelF32, {kKernelM, 2}), scalar_param("s", dtype::kInt32)},
                               {"C"}));
  const Tensor c = kernel(zeros({3, 2}), 7).and_then(single).value();
  EXPECT_THAT(std::vector<std::int64_t>(c.shape().begin(), c.shape().end()), ElementsAre(12, 7));
}

TEST(KernelTest, AllocatesScalarAndStridedOutputs) {
  const Signature signature =
      fake_signature({buffer_param("A", kKernelF32, {kKernelN}),
                      buffer_param("sum", kKernelF32, {}),
                      {"P", BufferParam{kKernelF32, {2, kKernelN}, std::vector<Expr>{kKernelN + Expr(4), 1}}}},
                     {"P", "sum"});
  const Outputs outputs = kernel_of(signature)(zeros({3})).value();
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].dl()->strides[0], 7);
  EXPECT_EQ(outputs[1].shape().size(), 0u);
  EXPECT_NE(outputs[1].data(), nullptr);
}

TEST(KernelTest, ReportsInvalidOutputExtent) {
  const Kernel kernel =
      kernel_of(fake_signature({buffer_param("A", kKernelF32, {kKernelN}),
                                buffer_param("B", kKernelF32, {kKernelN - Expr(4), floordiv(8, kKernelN)})},
                               {"B"}));
  EXPECT_THAT(kernel(zeros({3})).error().message,
              AllOf(HasSubstr("kernel \"fake\": output \"B\": "), HasSubstr("-1 is negative")));
  const Kernel divides = kernel_of(fake_signature(
      {buffer_param("A", kKernelF32, {kKernelN}), buffer_param("B", kKernelF32, {floordiv(8, kKernelN)})}, {"B"}));
  EXPECT_THAT(divides(zeros({0})).error().message, HasSubstr("division by zero"));
}

TEST(KernelTest, RejectsOversizedOutputs) {
  const Kernel kernel = kernel_of(fake_signature(
      {buffer_param("B", kKernelF32, {kKernelN, kKernelN, kKernelN}), scalar_param("n", dtype::kInt64)}, {"B"}));
  const auto outputs = kernel(std::int64_t{1} << 40);
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(outputs.error().message, HasSubstr("output \"B\""));
}

TEST(OutputsTest, SingleOutputIsTensor) {
  EXPECT_EQ(single(Outputs({zeros({2})})).value().shape()[0], 2);
  for (const Outputs& outputs : {Outputs({}), Outputs({zeros({2}), zeros({2})})}) {
    const Result<Tensor> none = single(outputs);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(none.error().message, "a call returned " + std::to_string(outputs.size()) +
                                        " tensors (one was requested). Take them by index.");
  }
}

TEST(KernelTest, RejectsWrongArgumentCount) {
  const Kernel kernel = kernel_of(twice_signature());
  const auto outputs = kernel(zeros({3}), zeros({3}));
  ASSERT_FALSE(outputs.ok());
  EXPECT_THAT(outputs.error().message, HasSubstr("kernel \"fake\": expected 1 inputs, got 2 (they are A)"));
  const Status status = kernel.launch({zeros({3})});
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("expected 2 arguments, got 1 (they are A, B)"));
}

TEST(KernelTest, ChecksGivenOutputs) {
  const Kernel kernel = kernel_of(twice_signature(), twice);
  EXPECT_TRUE(kernel.launch({zeros({3}), zeros({3})}).ok());
  const Status status = kernel.launch({zeros({3}), zeros({4})});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.error().message, HasSubstr("\"B\" has shape[0] = 4"));
}

TEST(KernelTest, RejectsReadOnlyOutput) {
  DLManagedTensorVersioned* managed = zeros({3}).to_dlpack_versioned();
  managed->flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  const Tensor read_only = Tensor::from_dlpack(managed).value();
  const Kernel kernel = kernel_of(twice_signature(), twice);
  EXPECT_TRUE(kernel.launch({read_only, zeros({3})}).ok());
  const Status status = kernel.launch({zeros({3}), read_only});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.error().message, HasSubstr("parameter \"B\" is read-only"));
}

TEST(KernelTest, RejectsReadOnlyInoutBuffer) {
  DLManagedTensorVersioned* managed = zeros({3}).to_dlpack_versioned();
  managed->flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  const Tensor read_only = Tensor::from_dlpack(managed).value();
  Param changed = buffer_param("B", dtype::kFloat32, {Expr::symbol("n")});
  std::get<BufferParam>(changed.kind).inout = true;
  int calls = 0;
  const Kernel kernel =
      kernel_of(fake_signature({buffer_param("A", dtype::kFloat32, {Expr::symbol("n")}), changed}),
                [&](const kmux_slot*, const kmux_launch_env&, kmux_sink) { return ++calls, KMUX_OK; });
  EXPECT_TRUE(kernel.launch({read_only, zeros({3})}).ok());
  const Status status = kernel.launch({zeros({3}), read_only});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.error().message, HasSubstr("parameter \"B\" is read-only (the kernel writes it)"));
  const auto outputs = kernel(zeros({3}), read_only);
  EXPECT_FALSE(outputs.ok()) << "a call that allocates outputs checks the same";
  EXPECT_EQ(calls, 1);
}

static_assert(!std::is_constructible_v<Arg, float*> && !std::is_constructible_v<Arg, const void*>);
static_assert(!std::is_constructible_v<Arg, const char*> && !std::is_constructible_v<Arg, Tensor*>);
static_assert(!std::is_constructible_v<Arg, int (*)()> && !std::is_constructible_v<Arg, std::vector<int>>);
static_assert(std::is_constructible_v<Arg, DLTensor*> && std::is_constructible_v<Arg, const DLTensor*>);
static_assert(std::is_constructible_v<Arg, std::nullptr_t> && std::is_constructible_v<Arg, bool>);
static_assert(!std::is_constructible_v<Json, void*> && std::is_constructible_v<Json, const char*>);

TEST(KernelTest, ArgDistinguishesBoolFromPointer) {
  EXPECT_EQ(Arg(true).kind(), Arg::Kind::kBool);
  EXPECT_EQ(Arg(true).integer(), 1);
  EXPECT_EQ(Arg('a').kind(), Arg::Kind::kInteger);
  EXPECT_EQ(Arg(1U).kind(), Arg::Kind::kUnsigned);
  DLTensor tensor{};
  EXPECT_EQ(Arg(&tensor).tensor(), &tensor);
  EXPECT_EQ(Arg(nullptr).kind(), Arg::Kind::kTensor);
}

TEST(KernelTest, LaunchesWithoutArguments) {
  int calls = 0;
  const Kernel kernel = kernel_of({}, [&](const kmux_slot*, const kmux_launch_env&, kmux_sink) {
    ++calls;
    return KMUX_OK;
  });
  EXPECT_TRUE(kernel.launch({}).ok());
  EXPECT_EQ(kernel().value().size(), 0u);
  EXPECT_EQ(calls, 2);
}

TEST(KernelTest, PassesManyArguments) {
  for (const int count : {63, 64, 65, 100, 4000}) {
    std::vector<Param> params;
    std::vector<Arg> args;
    for (int i = 0; i < count; ++i) {
      params.push_back(scalar_param("s" + std::to_string(i), dtype::kInt32));
      args.emplace_back(i);
    }
    std::int64_t sum = 0;
    const Kernel kernel =
        kernel_of(fake_signature(std::move(params)), [&](const kmux_slot* slots, const kmux_launch_env&, kmux_sink) {
          for (int i = 0; i < count; ++i) sum += slots[i].i64;
          return KMUX_OK;
        });
    ASSERT_TRUE(kernel.launch(args).ok());
    EXPECT_EQ(sum, std::int64_t{count} * (count - 1) / 2);
  }
}

TEST(KernelTest, RejectsTooManyParameters) {
  std::vector<Param> params;
  for (int i = 0; i < 5000; ++i) params.push_back(scalar_param("s" + std::to_string(i), dtype::kInt32));
  const auto kernel = make_kernel(fake_parts(fake_signature(std::move(params))));
  ASSERT_FALSE(kernel.ok());
  EXPECT_THAT(kernel.error().message, HasSubstr("5000 parameters and symbols (at most 4096"));
}

TEST(KernelTest, PassesStreamAndDevice) {
  kmux_launch_env seen{};
  const Kernel kernel = kernel_of({}, [&](const kmux_slot*, const kmux_launch_env& env, kmux_sink) {
    seen = env;
    return KMUX_OK;
  });
  int stream = 0;
  ASSERT_TRUE(kernel.launch(std::span<const Arg>(), StreamRef{&stream}).ok());
  EXPECT_EQ(seen.struct_size, sizeof seen);
  EXPECT_EQ(seen.stream, &stream);
  EXPECT_EQ(seen.device, 0);
}

TEST(KernelTest, AllocatesWorkspacesOnItsDevice) {
  const auto uses_workspace = [](const kmux_slot*, const kmux_launch_env& env, kmux_sink) -> kmux_code {
    void* memory = nullptr;
    const kmux_allocator& allocator = *env.allocator;
    const kmux_code code = allocator.allocate(allocator.self, env.device, env.stream, 1000, 256, &memory);
    if (code != KMUX_OK) return code;
    std::memset(memory, 1, 1000);
    const bool aligned = reinterpret_cast<std::uintptr_t>(memory) % 16 == 0;
    allocator.free(allocator.self, env.device, env.stream, memory);
    const kmux_code too_much =
        allocator.allocate(allocator.self, env.device, env.stream, ~std::size_t{0} - 100, 256, &memory);
    return aligned && too_much == KMUX_UNAVAILABLE ? KMUX_OK : KMUX_INTERNAL;
  };
  for (const DLDeviceType type : {kDLCPU, kDLExtDev}) {
    const Kernel kernel = make_kernel(fake_parts({}, uses_workspace, type)).value();
    EXPECT_TRUE(kernel.launch({}).ok()) << type;
  }
}

TEST(KernelTest, ReportsFailedLaunch) {
  const Kernel kernel = kernel_of({}, [](const kmux_slot*, const kmux_launch_env&, kmux_sink error) {
    constexpr std::string_view kText = "the device is tired (status 42). Let it rest.";
    error.write(error.self, kText.data(), kText.size());
    return kmux_code{KMUX_LAUNCH_FAILED};
  });
  const Status status = kernel.launch({});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kLaunchFailed);
  EXPECT_EQ(status.error().message, "kernel \"fake\": the device is tired (status 42). Let it rest.");
}

TEST(KernelTest, ReportsArgumentsOfFailedLaunch) {
  const Kernel kernel = kernel_of(twice_signature(), [](const kmux_slot*, const kmux_launch_env&, kmux_sink) {
    return kmux_code{KMUX_LAUNCH_FAILED};
  });
  const Status status = kernel.launch({zeros({4}), zeros({4})});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().note("arguments"), "A is a tensor float32[4], B is a tensor float32[4]");
}

TEST(KernelTest, RunsOnlyOnItsDevice) {
  KernelParts parts = fake_parts(twice_signature(), twice, kDLExtDev);
  const Shared<Plugin> plugin = parts.plugin;
  auto& devices = static_cast<InProcessPlugin&>(*plugin).devices();
  parts.device = 1;
  {
    const Kernel kernel = make_kernel(std::move(parts)).value();
    EXPECT_EQ(kernel.device().ordinal(), 1);
    const auto refused = kernel(zeros({3}));
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message,
                AllOf(HasSubstr("\"A\" is on cpu (the kernel runs on ext_dev:1)"), HasSubstr(".to(kernel.device())")));
    const Tensor elsewhere = zeros({3}).to(Device(plugin, 0)).value();
    EXPECT_THAT(kernel(elsewhere).error().message, HasSubstr("is on ext_dev:0"));
    const Tensor there = zeros({3}).to(kernel.device()).value();
    const Tensor b = kernel(there).and_then(single).value();
    EXPECT_EQ(b.device(), kernel.device());
    EXPECT_EQ(devices.live, 3);
  }
  EXPECT_EQ(devices.live, 0);
}

TEST(KernelTest, RunsOnTensorDeviceOfSameArchitecture) {
  int launched_on = -1;
  KernelParts parts = fake_parts(
      twice_signature(),
      [&](const kmux_slot*, const kmux_launch_env& env, kmux_sink) { return launched_on = env.device, KMUX_OK; },
      kDLExtDev);
  const Shared<Plugin> plugin = parts.plugin;
  auto& devices = static_cast<InProcessPlugin&>(*plugin).devices();
  devices.architectures = {"same", "same"};
  const Kernel kernel = make_kernel(std::move(parts)).value();
  const Tensor b = kernel(zeros({3}).to(Device(plugin, 1)).value()).and_then(single).value();
  EXPECT_EQ(b.device().ordinal(), 1);
  EXPECT_EQ(launched_on, 1);
  ASSERT_TRUE(kernel(zeros({3}).to(Device(plugin, 0)).value()).ok());
  EXPECT_EQ(launched_on, 0);
  const Status mixed = kernel.launch({zeros({3}).to(Device(plugin, 0)).value(), b});
  ASSERT_FALSE(mixed.ok());
  EXPECT_THAT(mixed.error().message, HasSubstr("\"B\" is on ext_dev:1 (the tensors before it are on ext_dev:0)"));
  EXPECT_EQ(launched_on, 0);
}

TEST(KernelTest, LaunchesConcurrently) {
  const Kernel kernel = kernel_of(twice_signature(), twice);
  std::vector<std::thread> threads;
  std::array<bool, 8> right{};
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      const Tensor a = zeros({64});
      const Tensor b = zeros({64});
      for (int i = 0; i < 64; ++i) a.data_as<float>()[i] = static_cast<float>(t);
      bool all = true;
      for (int i = 0; i < 1000; ++i) all = kernel.launch({a, b}).ok() && all;
      right[t] = all && b.data_as<float>()[63] == 2 * static_cast<float>(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(right, testing::Each(true));
}

TEST(KernelTest, WarmsDeviceAndRejectsNegativeOrdinal) {
  EXPECT_TRUE(kernel_of({}).warm().ok());
  EXPECT_TRUE(kernel_of({}).warm(1).ok());
  EXPECT_FALSE(kernel_of({}).warm(-1).ok());
}

TEST(KernelTest, ExposesSourcesAndMetadata) {
  KernelParts parts = fake_parts(twice_signature());
  Variant variant;
  variant.sources = {{"a.c", "int a;\n"}, {"b.c", "int b;\n"}};
  variant.headers = {{"h.h", "int h;\n"}};
  parts.adapters = std::make_shared<AdapterSlot>(
      LoadedArtifact{std::make_shared<const Origin>(
                         Origin{parts.plugin, 0, std::make_shared<const Variant>(variant), Target{"fake", "arch"}}),
                     std::make_unique<InProcessAdapter>(FakeLaunch{}), Artifact{{{"code", "binary"}}}, "launch it"});
  const Kernel kernel = make_kernel(std::move(parts)).value();
  EXPECT_EQ(kernel.name(), "fake");
  EXPECT_EQ(kernel.backend(), "fake");
  EXPECT_EQ(kernel.target().arch, "arch");
  EXPECT_EQ(kernel.source(), "int a;\nint b;\n");
  EXPECT_EQ(kernel.launcher(), "launch it");
  EXPECT_THAT(kernel.files(), ElementsAre(File{"a.c", "int a;\n"}, File{"b.c", "int b;\n"}, File{"h.h", "int h;\n"},
                                          File{"launcher", "launch it"}, File{"artifact/code", "binary"}));
}

}  // namespace
}  // namespace kmux

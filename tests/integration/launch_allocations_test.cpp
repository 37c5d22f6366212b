// Kernel::launch allocates nothing: counted below operator new, in every thread that launches.
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/kernel.h"
#include "kmux/runtime.h"

#include "allocations.h"
#include "in_process_plugin.h"
#include "tune/tuner.h"

namespace kmux {
namespace {

using test::allocations;

const Expr kM = Expr::symbol("m");
const Expr kN = Expr::symbol("n");

Tensor zeros(std::vector<std::int64_t> shape) { return Tensor::zeros(std::move(shape), dtype::kFloat32).value(); }

struct Call {
  Kernel kernel;
  std::vector<Arg> args;

  // Returns the allocations of `count` launches, or a large number if one of them fails.
  std::size_t allocations_of(int count) const {
    const std::size_t before = allocations();
    bool all_ok = true;
    for (int i = 0; i < count; ++i) all_ok = kernel.launch(args).ok() && all_ok;
    return all_ok ? allocations() - before : 1000000;
  }
};

Kernel kernel_of(Signature signature) { return make_kernel(fake_parts(std::move(signature))).value(); }

TEST(LaunchAllocationsTest, AreCounted) {
  const std::size_t before = allocations();
  const std::string text(1000, 'x');
  EXPECT_GT(allocations(), before) << text;
}

TEST(LaunchAllocationsTest, NoneForTensors) {
  const std::vector<Tensor> tensors{zeros({4, 64}), zeros({64, 8}), zeros({4, 8})};
  const DType type = dtype::kFloat32;
  const Call call{kernel_of(fake_signature({buffer_param("A", type, {kM, 64}), buffer_param("B", type, {64, 8}),
                                            buffer_param("C", type, {kM, 8})})),
                  {tensors[0], tensors[1], tensors[2]}};
  EXPECT_EQ(call.allocations_of(10), 0u);
}

TEST(LaunchAllocationsTest, NoneForEveryKindOfCheck) {
  const std::vector<Tensor> tensors{zeros({4, 6}), zeros({8}), zeros({24})};
  const DType type = dtype::kFloat32;
  const Signature signature =
      fake_signature({{"A", BufferParam{type, {kM, kN}, std::vector<Expr>{Expr::symbol("s"), 1}}},
                      buffer_param("B", type, {kM * Expr(2)}),
                      buffer_param("C", type, {kM * kN}),
                      {"D", BufferParam{type, {kM}, {}, 0, true}},
                      scalar_param("i", dtype::kInt8),
                      scalar_param("h", dtype::kFloat16),
                      scalar_param("b", dtype::kBool),
                      {"p", PointerParam{}}});
  const Call call{kernel_of(signature),
                  {tensors[0], tensors[1], tensors[2], nullptr, -3, 0.1, true, Arg::pointer(nullptr)}};
  EXPECT_EQ(call.allocations_of(10), 0u);
}

TEST(LaunchAllocationsTest, NoneAfterFirstCallWasSampled) {
  const Tensor tensor = zeros({4});
  KernelParts parts = fake_parts(fake_signature({buffer_param("A", dtype::kFloat32, {kM})}));
  int told = 0;
  watch_first_call(*parts.adapters, parts.signature, [&told](const CallSample&) { ++told; });
  const Call call{make_kernel(std::move(parts)).value(), {tensor}};
  EXPECT_GT(call.allocations_of(1), 0u);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(call.allocations_of(10), 0u);
}

TEST(LaunchAllocationsTest, NoneForManyArguments) {
  std::vector<Param> params;
  std::vector<Arg> args;
  for (int i = 0; i < 1000; ++i) {
    params.push_back(scalar_param("s" + std::to_string(i), dtype::kInt32));
    args.emplace_back(i);
  }
  const Call call{kernel_of(fake_signature(std::move(params))), std::move(args)};
  EXPECT_EQ(call.allocations_of(10), 0u);
}

TEST(LaunchAllocationsTest, NoneForFirstLaunchOfThread) {
  const Call call{kernel_of({}), {}};
  std::size_t counted = 1;
  std::thread([&] { counted = call.allocations_of(1); }).join();
  EXPECT_EQ(counted, 0u);
}

// The whole path: the library's table, and the backend behind it.
TEST(LaunchAllocationsTest, NoneThroughPlugin) {
  ProgramBuilder builder("nothing");
  const Expr n = builder.symbol("n");
  builder.input("A", dtype::kFloat32, {n}).variant("c").source("nothing.c", "void nothing(const float* a) {}\n");
  builder.launch("nothing").args({"A"});
  const auto runtime =
      Runtime::create({}, {.search_path = {KMUX_TEST_PLUGIN_DIR "/null"}, .use_default_path = false}).value();
  const Kernel kernel = compile(*runtime, builder.build().value(), {.target = "null"}).value();
  const Tensor a = Tensor::zeros({4}, dtype::kFloat32, kernel.device()).value();
  const Call call{kernel, {a}};
  EXPECT_EQ(call.allocations_of(10), 0u);
}

TEST(LaunchAllocationsTest, OccurForErrors) {
  const Call call{kernel_of(fake_signature({scalar_param("s", dtype::kInt8)})), {Arg(300)}};
  const std::size_t before = allocations();
  EXPECT_FALSE(call.kernel.launch(call.args).ok());
  EXPECT_GT(allocations(), before);
}

}  // namespace
}  // namespace kmux

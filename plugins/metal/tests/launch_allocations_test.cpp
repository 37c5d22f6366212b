// A call allocates nothing: counted below operator new, over a Metal that does nothing.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/plugin/sink.h"

#include "../../../tests/integration/allocations.h"
#include "backend.h"
#include "fake_host.h"

namespace kmux::metal {
namespace {

constexpr const char* kKernel = "kernel void k(device float* x [[buffer(0)]], constant int& n [[buffer(1)]]) {}";

class LaunchAllocationsTest : public ::testing::Test {
 protected:
  LaunchAllocationsTest() { host.options["metal.library"] = KMUX_SILENT_METAL_LIBRARY; }

  std::size_t allocated_by(ProgramBuilder& builder, bool has_scalar) {
    const Program program = builder.build().value();
    const BuildRequest request{program, 0, {"metal"}, {}};
    const Artifact artifact = backend->builder().build(request, backend->wrapper().wrap(request).value()).value();
    const auto adapter = backend->load(artifact, 0).value();
    void* const memory = backend->devices().allocate(0, nullptr, 400, 0).value();
    kmux_slot slots[3] = {{.ptr = memory}, {.i64 = 100}, {.i64 = 100}};
    if (has_scalar) slots[1].i64 = 3;
    const LaunchEntry entry = adapter->entry();
    const kmux_allocator allocator{
        sizeof(kmux_allocator), memory,
        [](void* self, int32_t, void*, std::size_t, std::size_t, void** address) -> kmux_code {
          *address = self;
          return KMUX_OK;
        },
        [](void*, int32_t, void*, void*) {}};
    const kmux_launch_env env{sizeof(kmux_launch_env), 0, nullptr, &allocator, 0, 0};
    const kmux_sink sink = discard();
    EXPECT_EQ(entry(slots, env, sink), KMUX_OK);
    const std::size_t before = kmux::test::allocations();
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(entry(slots, env, sink), KMUX_OK);
    return kmux::test::allocations() - before;
  }

  FakeHost host;
  std::unique_ptr<Backend> backend = MetalBackend::create(host).value();
};

TEST_F(LaunchAllocationsTest, AreZeroForSingleLaunch) {
  ProgramBuilder builder("one");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).variant("msl").source("k.metal", kKernel);
  builder.launch("k").grid({ceildiv(n, 64)}).block({64}).args({"x"}).arg(n, dtype::kInt32).packed_values();
  EXPECT_EQ(allocated_by(builder, false), 0U);
}

TEST_F(LaunchAllocationsTest, AreZeroForLoopsAndWorkspaces) {
  ProgramBuilder builder("several");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n});
  const Expr rounds = builder.scalar("rounds", dtype::kInt64);
  builder.variant("msl").source("k.metal", kKernel).workspace("w", n * 4);
  builder.body().fill("w", n * 4, 0).loop("i", 0, rounds, [&](BodyBuilder body, const Expr&) {
    body.launch("k").grid({ceildiv(n, 64)}).block({64}).args({"w"}).arg(n, dtype::kInt32).dynamic_smem_bytes(n);
    body.launch("k").grid({ceildiv(n, 64)}).block({64}).args({"x"}).arg(n, dtype::kInt32);
  });
  EXPECT_EQ(allocated_by(builder, true), 0U);
}

}  // namespace
}  // namespace kmux::metal

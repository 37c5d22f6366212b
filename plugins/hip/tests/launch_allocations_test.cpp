// A call of a loaded kernel allocates nothing: counted below operator new and malloc, over a HIP that does nothing.
#include "over_fake.h"

// Its namespace `testing` would hide GoogleTest's from the headers above.
#include "integration/allocations.h"

namespace kmux::hip {
namespace {

constexpr const char* kAddOneOfView = R"(
struct View { float* x; long long n; };
extern "C" __global__ void k(float* x, int n, View view) { if (threadIdx.x < view.n) view.x[threadIdx.x] += 1; }
)";

class HipAllocationsTest : public OverFake {};

TEST_F(HipAllocationsTest, LaunchesDoNotAllocate) {
  const auto single = loaded(one_kernel(kAddOne));
  ProgramBuilder several = one_kernel(kAddOne);
  several.launch("k").grid({1}).block({64}).args({"x"}).arg(Expr::symbol("n"));
  const auto body = loaded(several);
  ProgramBuilder record("record");
  record.buffer("x", BufferParam{dtype::kFloat32, {record.symbol("n")}}).variant("hip").source("k.hip", kAddOneOfView);
  record.launch("k").grid({1}).block({64}).args({"x"}).arg(Expr::symbol("n")).struct_arg({"x", "n"});
  const auto structure = loaded(record);
  const DeviceVector x(backend, 300);
  const std::vector<kmux_slot> slots = {slot(x.address()), slot(300)};
  const kmux_launch_env env = {sizeof env, 0, nullptr, nullptr, 0, 0};
  for (Adapter* const adapter : {single.get(), body.get(), structure.get()}) {
    adapter->prepare(0).value();
    const LaunchEntry entry = adapter->entry();
    FailureText failure;
    fake->set_recording(false);
    EXPECT_EQ(entry(slots.data(), env, failure.sink()), KMUX_OK);
    const std::size_t before = kmux::test::allocations();
    for (int i = 0; i < 1000; ++i) entry(slots.data(), env, failure.sink());
    EXPECT_EQ(kmux::test::allocations(), before);
    fake->set_recording(true);
  }
}

}  // namespace
}  // namespace kmux::hip

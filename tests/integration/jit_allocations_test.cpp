// A repeated call of a jit wrapper allocates nothing: counted below operator new.
#include <gtest/gtest.h>

#include "kmux/jit.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "allocations.h"

namespace kmux {
namespace {

using test::allocations;

struct Config {
  std::int64_t tile = 1;
  std::string name = "a name that is too long for the string itself";
  std::vector<std::int64_t> stages = {1, 2, 3};
  std::optional<double> scale = {};
};
BOOST_DESCRIBE_STRUCT(Config, (), (tile, name, stages, scale))

JitOutputs nothing(JitBuilder& b, std::span<const Tensor> tensors, const Config&) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    b.input("x" + std::to_string(i), {b.symbol("n" + std::to_string(i)), 4});
  b.variant("c").source("nothing.c", "void nothing(const float* x) {}\n");
  b.launch("nothing").args({"x0"});
  return {};
}

Program no_parameters(const Config&) {
  ProgramBuilder b("nothing");
  b.variant("c").source("nothing.c", "void nothing(void) {}\n").launch("nothing");
  return b.build().value();
}

/// Uses only the null backend.
class JitAllocationsTest : public ::testing::Test {
 protected:
  Tensor matrix() const {
    return Tensor::zeros({3, 4}, dtype::kFloat32, Device(runtime_->registry().plugin("null").value(), 0)).value();
  }
  Shared<Runtime> runtime_ =
      Runtime::create({}, {.search_path = {KMUX_TEST_PLUGIN_DIR "/null"}, .use_default_path = false}).value();
};

TEST_F(JitAllocationsTest, NoneForRepeatedEagerCall) {
  const auto run = jit(nothing, {}, {.runtime = runtime_});
  const Tensor x = matrix(), y = matrix(), z = matrix();
  const Config config{.tile = 2};
  ASSERT_TRUE(run(x, y, z, config).ok());
  ASSERT_TRUE(run(x).ok());
  const std::size_t before = allocations();
  bool all_ok = true;
  for (int i = 0; i < 10; ++i) {
    all_ok = run(x, y, z, config).ok() && run(z, y, x, config, StreamRef{}).ok() && run(x).ok() && all_ok;
  }
  EXPECT_EQ(allocations(), before);
  EXPECT_TRUE(all_ok);
}

TEST_F(JitAllocationsTest, NoneForRepeatedLazyCall) {
  const auto kernels = jit(no_parameters, {.target = "null"}, {.runtime = runtime_});
  const Config config{.tile = 2};
  ASSERT_TRUE(kernels(config).ok());
  const std::size_t before = allocations();
  bool all_ok = true;
  for (int i = 0; i < 10; ++i) all_ok = kernels(config).ok() && all_ok;
  EXPECT_EQ(allocations(), before);
  EXPECT_TRUE(all_ok);
}

}  // namespace
}  // namespace kmux

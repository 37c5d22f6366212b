// Random kernels on this processor against what they mean: KMUX_RANDOM_KERNELS=N of them, from seed KMUX_RANDOM_SEED on.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_kernel.h"
#include "workbench.h"

namespace kmux::cpu {
namespace {

unsigned setting(const char* name, unsigned usual) {
  const char* const text = std::getenv(name);
  return text == nullptr ? usual : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

std::vector<unsigned> inputs(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<unsigned> values(RandomKernel::kInputs);
  for (unsigned& value : values) value = static_cast<unsigned>(random());
  return values;
}

ProgramBuilder program_of(const char* dialect, const std::string& path, const std::string& source, unsigned threads) {
  ProgramBuilder builder("random");
  builder.buffer("x", BufferParam{dtype::kUInt32, {Expr(64)}});
  builder.buffer("y", BufferParam{dtype::kUInt32, {Expr(static_cast<int>(threads))}});
  builder.variant(dialect).source(path, source);
  return builder;
}

std::vector<unsigned> call(const ProgramBuilder& builder, const std::string& tier, unsigned seed, unsigned threads,
                           const std::string& check = "off") {
  Workbench bench;
  auto kernel = bench.load(builder.build().value(), {{"tier", tier}, {"check", check}});
  EXPECT_TRUE(kernel.ok()) << "seed " << seed << ": " << kernel.error().explain();
  std::vector<unsigned> y(threads);
  if (!kernel.ok()) return y;
  std::vector<unsigned> x = inputs(seed);
  const Status status = (*kernel)({slot(x.data()), slot(y.data())});
  EXPECT_TRUE(status.ok()) << "seed " << seed << ": " << status.error().explain();
  return y;
}

TEST(RandomKernels, GiveWhatTheyMean) {
  const std::vector<Extents> blocks = {{32}, {96}, {16, 16}, {7, 5}, {33}, {8, 4, 2}, {64}, {1}};
  const unsigned first = setting("KMUX_RANDOM_SEED", 1);
  for (unsigned seed = first; seed < first + setting("KMUX_RANDOM_KERNELS", 30) && !HasFailure(); ++seed) {
    const Extents& block = blocks[seed % blocks.size()];
    unsigned threads = 1;
    for (const Expr& extent : block) threads *= static_cast<unsigned>(extent.constant());
    const RandomKernel random(seed, threads);
    ProgramBuilder cuda = program_of("cuda", "kernel.cu", random.cuda(), threads);
    cuda.launch("kernel").grid({Expr(1)}).block(block).args({"x", "y"});
    ProgramBuilder reference = program_of("c", "reference.c", random.c(), threads);
    reference.launch("reference").args({"x", "y"});
    const auto wanted = call(reference, "fast", seed, threads);
    EXPECT_EQ(call(cuda, "fast", seed, threads), wanted) << "seed " << seed << "\n" << random.cuda();
    EXPECT_EQ(call(cuda, "full", seed, threads), wanted) << "seed " << seed << "\n" << random.cuda();
    EXPECT_EQ(call(cuda, "fast", seed, threads, "on"), wanted) << "seed " << seed << " checked\n" << random.cuda();
  }
}

}  // namespace
}  // namespace kmux::cpu

// Random kernels on this processor against what they mean: KMUX_RANDOM_KERNELS=N of them, from seed KMUX_RANDOM_SEED on.
#include <algorithm>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_kernel.h"
#include "workbench.h"

namespace kmux::cpu {
namespace {

constexpr unsigned kTogether = 8;  // kernels of one program, all with the same block

using Numbers = std::vector<unsigned>;

unsigned setting(const char* name, unsigned usual) {
  const char* const text = std::getenv(name);
  return text == nullptr ? usual : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

std::vector<Expr> block_of(unsigned seed) {
  static const std::vector<std::vector<Expr>> blocks = {{32},      {96}, {16, 16}, {7, 5}, {33},
                                                        {8, 4, 2}, {64}, {1},      {24, 4}};
  return blocks[seed / kTogether % blocks.size()];
}

unsigned threads_of(const std::vector<Expr>& block) {
  unsigned threads = 1;
  for (const Expr& extent : block) threads *= static_cast<unsigned>(extent.constant());
  return threads;
}

Numbers inputs(unsigned seed) {
  std::mt19937 random(seed);
  Numbers values(RandomKernel::kInputs);
  for (unsigned& value : values) value = static_cast<unsigned>(random());
  return values;
}

std::string name_of(std::size_t index) { return "k" + std::to_string(index); }

// The kernels of `sources`, each with its own output.
Program program_of(const std::string& dialect, const std::string& source, std::size_t count,
                   const std::vector<Expr>& block) {
  ProgramBuilder builder("random");
  builder.buffer("x", BufferParam{dtype::kUInt32, {Expr(64)}});
  for (std::size_t i = 0; i < count; ++i) {
    builder.buffer("y" + std::to_string(i), BufferParam{dtype::kUInt32, {Expr(static_cast<int>(threads_of(block)))}});
  }
  builder.variant(dialect).source(dialect == "c" ? "reference.c" : "kernels.cu", source);
  for (std::size_t i = 0; i < count; ++i) {
    LaunchBuilder launch = builder.launch(name_of(i));
    if (dialect != "c") launch.grid({Expr(1)}).block(block);
    launch.args({"x", "y" + std::to_string(i)});
  }
  return builder.build().value();
}

// What each kernel writes.
std::vector<Numbers> results(const Program& program, const Options& options, unsigned seed, std::size_t count) {
  Workbench bench;
  auto kernel = bench.load(program, options);
  EXPECT_TRUE(kernel.ok()) << "seed " << seed << ": " << kernel.error().explain();
  std::vector<Numbers> y(count, Numbers(1024));
  if (!kernel.ok()) return y;
  Numbers x = inputs(seed);
  std::vector<kmux_slot> slots = {slot(x.data())};
  for (Numbers& one : y) slots.push_back(slot(one.data()));
  const Status status = (*kernel)(slots);
  EXPECT_TRUE(status.ok()) << "seed " << seed << ": " << status.error().explain();
  return y;
}

struct Compared {
  std::vector<Numbers> wanted;
  std::vector<Numbers> got;
};

// Kernels, built as `way` says ("fast", "full", or "check" for a stack a thread), and what they mean.
Compared compare(const std::vector<RandomKernel>& kernels, unsigned seed, const std::string& way) {
  std::string cuda = RandomKernel::cuda_prelude();
  std::string c = RandomKernel::c_prelude();
  for (const RandomKernel& kernel : kernels) cuda += kernel.cuda(), c += kernel.c();
  const std::vector<Expr> block = block_of(seed);
  const Options options = way == "check" ? Options{{"check", "on"}, {"opt_level", "0"}} : Options{{"tier", way}};
  return {results(program_of("c", c, kernels.size(), block), {{"opt_level", "0"}}, seed, kernels.size()),
          results(program_of("cuda", cuda, kernels.size(), block), options, seed, kernels.size())};
}

// The kernel of `seed`, without whatever does not matter to its being wrong.
std::string shrunk(unsigned seed, const std::string& way) {
  const unsigned threads = threads_of(block_of(seed));
  std::set<unsigned> left_out;
  const unsigned statements = RandomKernel("k0", seed, threads).statements();
  for (unsigned i = 0; i < statements; ++i) {
    left_out.insert(i);
    const Compared compared = compare({RandomKernel("k0", seed, threads, left_out)}, seed, way);
    if (compared.got == compared.wanted) left_out.erase(i);
  }
  return RandomKernel("k0", seed, threads, left_out).cuda();
}

void check(unsigned first, unsigned count, const std::string& way) {
  std::vector<RandomKernel> kernels;
  const unsigned threads = threads_of(block_of(first));
  for (unsigned i = 0; i < count; ++i) kernels.emplace_back(name_of(i), first + i, threads);
  const Compared compared = compare(kernels, first, way);
  for (unsigned i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    EXPECT_EQ(compared.got[i], compared.wanted[i]) << "seed " << first + i << " built for " << way
                                                   << " (KMUX_RANDOM_SEED=" << first + i << " KMUX_RANDOM_KERNELS=1):\n"
                                                   << shrunk(first + i, way);
  }
}

TEST(RandomKernels, GiveWhatTheyMean) {
  const unsigned end = setting("KMUX_RANDOM_SEED", 0) + setting("KMUX_RANDOM_KERNELS", 160);
  for (unsigned seed = setting("KMUX_RANDOM_SEED", 0); seed < end && !HasFailure();) {
    const unsigned count = std::min(kTogether - seed % kTogether, end - seed);
    check(seed, count, "fast");
    if (seed / kTogether % 4 == 0) check(seed, count, "full");
    if (seed / kTogether % 4 == 2) check(seed, count, "check");
    seed += count;
  }
}

}  // namespace
}  // namespace kmux::cpu

#include "generator_bar.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/tensor.h"

#include "cuda_kernel.h"
#include "random_kernel.h"
#include "settings.h"

namespace kmux::bench::spmd {
namespace {

using cpu::RandomKernel;
using Block = std::array<int, 3>;

constexpr std::array<Block, 8> kBlocks = {
    {{32, 1, 1}, {96, 1, 1}, {16, 16, 1}, {7, 5, 1}, {33, 1, 1}, {8, 4, 2}, {64, 1, 1}, {1, 1, 1}}};

std::vector<std::uint32_t> inputs(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> values(RandomKernel::kInputs);
  for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random());
  return values;
}

ProgramBuilder program_of(const char* dialect, const std::string& path, const std::string& source, int threads) {
  ProgramBuilder builder("random");
  builder.buffer("x", BufferParam{dtype::kUInt32, {Expr(static_cast<int>(RandomKernel::kInputs))}});
  builder.buffer("y", BufferParam{dtype::kUInt32, {Expr(threads)}});
  builder.variant(dialect).source(path, source);
  return builder;
}

std::vector<std::uint32_t> output(const ProgramBuilder& builder, const char* tier, unsigned seed, int threads) {
  CompileOptions options = cpu_options({{"tier", tier}});
  options.compile_flags = {"-Wno-everything"};  // random code compares a value with itself, say
  const Kernel kernel = compile(builder.build().value(), options).value();
  const auto values = inputs(seed);
  const Tensor x = Tensor::from<std::uint32_t>({RandomKernel::kInputs}, dtype::kUInt32, values).value();
  const Tensor y = Tensor::zeros({threads}, dtype::kUInt32).value();
  kernel.launch({x, y}).value();
  const auto* const begin = y.data_as<std::uint32_t>();
  return {begin, begin + threads};
}

bool is_right(unsigned seed) {
  const Block& block = kBlocks[seed % kBlocks.size()];
  const int threads = block[0] * block[1] * block[2];
  const RandomKernel random(seed, static_cast<unsigned>(threads));
  ProgramBuilder cuda = program_of("cuda", "kernel.cu", random.cuda(), threads);
  cuda.launch("kernel").grid({Expr(1)}).block({Expr(block[0]), Expr(block[1]), Expr(block[2])}).args({"x", "y"});
  ProgramBuilder reference = program_of("c", "reference.c", random.c(), threads);
  reference.launch("reference").args({"x", "y"});
  const auto wanted = output(reference, "fast", seed, threads);
  return output(cuda, "fast", seed, threads) == wanted && output(cuda, "full", seed, threads) == wanted;
}

}  // namespace

double generator_wrong() {
  int wrong = 0;
  for (unsigned i = 0; i < settings().kernels; ++i) {
    const unsigned seed = settings().seed + i;
    if (is_right(seed)) continue;
    ++wrong;
    std::fprintf(stderr, "  random kernel %u is wrong\n", seed);
  }
  return wrong;
}

}  // namespace kmux::bench::spmd

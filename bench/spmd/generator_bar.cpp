#include "generator_bar.h"

#include <algorithm>
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
using Numbers = std::vector<std::uint32_t>;

constexpr unsigned kTogether = 8;  // kernels of one program, all with the same block
constexpr std::array<Block, 8> kBlocks = {
    {{32, 1, 1}, {96, 1, 1}, {16, 16, 1}, {7, 5, 1}, {33, 1, 1}, {8, 4, 2}, {64, 1, 1}, {1, 1, 1}}};

const Block& block_of(unsigned seed) { return kBlocks[seed / kTogether % kBlocks.size()]; }
int threads_of(const Block& block) { return block[0] * block[1] * block[2]; }

Numbers inputs(unsigned seed) {
  std::mt19937 random(seed);
  Numbers values(RandomKernel::kInputs);
  for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random());
  return values;
}

// The kernels, each with its own output.
Program program_of(const std::vector<RandomKernel>& kernels, const std::string& dialect, const Block& block) {
  const bool is_cuda = dialect == "cuda";
  std::string source = is_cuda ? RandomKernel::cuda_prelude() : RandomKernel::c_prelude();
  for (const RandomKernel& kernel : kernels) source += is_cuda ? kernel.cuda() : kernel.c();
  ProgramBuilder builder("random");
  builder.buffer("x", BufferParam{dtype::kUInt32, {Expr(static_cast<int>(RandomKernel::kInputs))}});
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    builder.buffer("y" + std::to_string(i), BufferParam{dtype::kUInt32, {Expr(threads_of(block))}});
  }
  builder.variant(dialect).source(is_cuda ? "kernels.cu" : "reference.c", source);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    LaunchBuilder launch = builder.launch("k" + std::to_string(i));
    if (is_cuda) launch.grid({Expr(1)}).block({Expr(block[0]), Expr(block[1]), Expr(block[2])});
    launch.args({"x", "y" + std::to_string(i)});
  }
  return builder.build().value();
}

CompileOptions on_cpu(Options chosen) {
  CompileOptions options = cpu_options(std::move(chosen));
  options.compile_flags = {"-Wno-everything"};  // random code compares a value with itself, say
  return options;
}

std::vector<Numbers> outputs(const Program& program, const CompileOptions& options, unsigned seed, int threads,
                             std::size_t count) {
  const Kernel kernel = compile(program, options).value();
  const auto placed = [&](const Tensor& tensor) { return tensor.to(kernel.device()).value(); };
  std::vector<Tensor> tensors = {
      placed(Tensor::from<std::uint32_t>({RandomKernel::kInputs}, dtype::kUInt32, inputs(seed)).value())};
  for (std::size_t i = 0; i < count; ++i) tensors.push_back(placed(Tensor::zeros({threads}, dtype::kUInt32).value()));
  const std::vector<Arg> arguments(tensors.begin(), tensors.end());
  kernel.launch(arguments).value();
  std::vector<Numbers> all;
  for (std::size_t i = 1; i <= count; ++i) {
    const Tensor result = tensors[i].to({}).value();
    const auto* const begin = result.data_as<std::uint32_t>();
    all.emplace_back(begin, begin + threads);
  }
  return all;
}

// How many of the kernels from `first` to before `end`, which have one block, are wrong.
int count_wrong(unsigned first, unsigned end) {
  const Block& block = block_of(first);
  const int threads = threads_of(block);
  std::vector<RandomKernel> kernels;
  for (unsigned seed = first; seed < end; ++seed) {
    kernels.emplace_back("k" + std::to_string(seed - first), seed, static_cast<unsigned>(threads));
  }
  const auto run = [&](const std::string& dialect, const CompileOptions& options) {
    return outputs(program_of(kernels, dialect, block), options, first, threads, kernels.size());
  };
  const auto wanted = run("c", on_cpu({{"tier", "full"}, {"opt_level", "0"}}));
  std::vector<std::vector<Numbers>> found = {run("cuda", on_cpu({{"tier", "fast"}})),
                                             run("cuda", on_cpu({{"tier", "full"}}))};
  if (const std::string& other = settings().other_backend; !other.empty()) {
    found.push_back(run("cuda", {.execution_backend = other, .use_cache = false}));
  }
  int wrong = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (std::ranges::all_of(found, [&](const auto& outputs) { return outputs[i] == wanted[i]; })) continue;
    ++wrong;
    std::fprintf(stderr, "  random kernel %zu is wrong\n", first + i);
  }
  return wrong;
}

}  // namespace

double generator_wrong() {
  int wrong = 0;
  const unsigned end = settings().seed + settings().kernels;
  for (unsigned first = settings().seed; first < end;) {
    const unsigned next = std::min(end, (first / kTogether + 1) * kTogether);
    wrong += count_wrong(first, next);
    first = next;
  }
  return wrong;
}

}  // namespace kmux::bench::spmd

#include "generator_bar.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "kmux/compile.h"
#include "kmux/tensor.h"

#include "cuda_kernel.h"
#include "random_kernel.h"
#include "settings.h"

namespace kmux::bench::spmd {
namespace {

using cpu::RandomKernel;
using cpu::RandomProgram;
using Numbers = std::vector<std::uint32_t>;

CompileOptions on_cpu(Options chosen) {
  CompileOptions options = cpu_options(std::move(chosen));
  options.compile_flags = {"-Wno-everything"};  // random code compares a value with itself, say
  return options;
}

// What each kernel of `program` writes.
std::vector<Numbers> outputs(const RandomProgram& kernels, const Program& program, const CompileOptions& options) {
  const Kernel kernel = compile(program, options).value();
  const auto placed = [&](const Tensor& tensor) { return tensor.to(kernel.device()).value(); };
  std::vector<Tensor> tensors;  // x and y of each kernel
  for (unsigned i = 0; i < kernels.size(); ++i) {
    tensors.push_back(
        placed(Tensor::from<std::uint32_t>({RandomKernel::kInputs}, dtype::kUInt32, kernels.input(i)).value()));
    tensors.push_back(placed(Tensor::zeros({static_cast<int>(kernels.threads(i))}, dtype::kUInt32).value()));
  }
  std::vector<Arg> arguments = {Arg(std::int32_t{1})};
  arguments.insert(arguments.end(), tensors.begin(), tensors.end());
  kernel.launch(arguments).value();
  std::vector<Numbers> all;
  for (unsigned i = 0; i < kernels.size(); ++i) {
    const Tensor result = tensors[2 * i + 1].to({}).value();
    const auto* const begin = result.data_as<std::uint32_t>();
    all.emplace_back(begin, begin + kernels.threads(i));
  }
  return all;
}

int count_wrong(const RandomProgram& kernels) {
  const auto wanted = outputs(kernels, kernels.c(), on_cpu({{"tier", "full"}, {"opt_level", "0"}}));
  std::vector<std::vector<Numbers>> found = {outputs(kernels, kernels.cuda(), on_cpu({{"tier", "fast"}})),
                                             outputs(kernels, kernels.cuda(), on_cpu({{"tier", "full"}}))};
  if (const std::string& other = settings().other_backend; !other.empty()) {
    found.push_back(outputs(kernels, kernels.cuda(), {.execution_backend = other, .use_cache = false}));
  }
  int wrong = 0;
  for (unsigned i = 0; i < kernels.size(); ++i) {
    if (std::ranges::all_of(found, [&](const auto& outputs) { return outputs[i] == wanted[i]; })) continue;
    ++wrong;
    std::fprintf(stderr, "  random kernel %u is wrong\n", kernels.first() + i);
  }
  return wrong;
}

}  // namespace

double generator_wrong() {
  int wrong = 0;
  const unsigned end = settings().seed + settings().kernels;
  for (unsigned first = settings().seed; first < end;) {
    const RandomProgram kernels = RandomProgram::from(first, end);
    wrong += count_wrong(kernels);
    first += kernels.size();
  }
  return wrong;
}

}  // namespace kmux::bench::spmd

#pragma once

#include <string>
#include <vector>

#include "workbench.h"

namespace kmux::cpu {

// Matchers used by its tests.
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A kernel `k(const float* x, float* y, int n)` in file k.cu with 64 elements in x and in y, and its launch
/// parameters.
struct CheckedKernel {
  std::string source;
  std::vector<Expr> block = {64};
  std::vector<Expr> grid = {Expr(1)};
  std::int64_t dynamic_bytes = 0;
  Options options = {{"check", "on"}};
  bool is_cooperative = false;
  std::vector<Expr> cluster = {};

  static constexpr int kElements = 64;

  Result<std::vector<float>> operator()(Workbench& bench) const {
    ProgramBuilder builder("sample");
    const Expr n = builder.symbol("n");
    builder.buffer("x", BufferParam{dtype::kFloat32, {n}});
    builder.buffer("y", BufferParam{dtype::kFloat32, {n}});
    builder.variant("cuda").source("k.cu", source);
    LaunchBuilder launch = builder.launch("k");
    launch.grid(grid).block(block).args({"x", "y"}).arg(n);
    if (is_cooperative) launch.cooperative();
    if (!cluster.empty()) launch.cluster(cluster);
    if (dynamic_bytes > 0) launch.dynamic_smem_bytes(dynamic_bytes);
    KMUX_ASSIGN(const Program program, builder.build());
    KMUX_ASSIGN(LoadedKernel kernel, bench.load(program, options));
    std::vector<float> x(kElements);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
    std::vector<float> y(kElements, -1);
    KMUX_TRY(kernel({slot(x.data()), slot(y.data()), slot(std::int64_t{kElements})}));
    return y;
  }
  Result<std::vector<float>> operator()() const {
    Workbench bench;
    return (*this)(bench);
  }
};

/// Returns the findings of a launch, or the reason why none were reported.
inline std::vector<std::string> findings_of(const CheckedKernel& kernel) {
  const auto result = kernel();
  if (result.ok()) return {};
  if (result.error().code != ErrorCode::kLaunchFailed) return {result.error().explain()};
  std::vector<std::string> texts = {result.error().message};
  for (const Note& note : result.error().notes) texts.push_back(note.text);
  return texts;
}

}  // namespace kmux::cpu

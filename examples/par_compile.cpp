// Compiles many programs at once, each scaling by another factor, and calls one of them.
#include "kmux/par_compile.h"

#include <cstdio>
#include <string>
#include <vector>

#include "kmux/builder.h"

namespace {

kmux::Program scale_by(int factor) {
  kmux::ProgramBuilder builder("scale_by_" + std::to_string(factor));
  const kmux::Expr n = builder.symbol("n");
  builder.input("x", kmux::dtype::kFloat32, {n}).output("y", kmux::dtype::kFloat32, {n});
  builder.variant("c").source("scale.c",
                              "void scale(const float* x, float* y, long long n) {\n"
                              "  for (long long i = 0; i < n; ++i) y[i] = x[i] * " +
                                  std::to_string(factor) + ";\n}\n");
  builder.launch("scale").args({"x", "y"}).arg(n, kmux::dtype::kInt64);
  return builder.build().value();
}

}  // namespace

int main() try {
  // [all.begin]
  std::vector<kmux::Program> programs;
  for (int factor = 1; factor <= 8; ++factor) programs.push_back(scale_by(factor));

  const auto report = [](const kmux::CompileProgress& event) {
    if (event.step != kmux::JobStep::kDone) return;
    std::printf("%zu of %zu: %s\n", event.counts.done, event.counts.total, event.program.c_str());
  };
  auto kernels = kmux::par_compile(programs, {.target = "c"}, {.num_workers = 2, .progress = report}).value();

  kmux::Tensor x = kmux::Tensor::zeros({3}, kmux::dtype::kFloat32).value();
  for (int i = 0; i < 3; ++i) x.data_as<float>()[i] = static_cast<float>(i);
  kmux::Tensor y = kernels[4](x).and_then(kmux::single).value();  // in the order of the programs: by five
  // [all.end]
  std::printf("y = %g %g %g\n", double{y.data_as<float>()[0]}, double{y.data_as<float>()[1]},
              double{y.data_as<float>()[2]});
  return 0;
} catch (const kmux::Exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}

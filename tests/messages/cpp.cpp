// kmux_mistakes [NAME]: what C++ says to a mistake, as people see it who let kmux::Exception reach main. Without a name: the
// names, a line each. In a folder with scale.kmux.json.
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "kmux/compile.h"
#include "kmux/npy.h"
#include "kmux/program.h"

namespace {

using kmux::Tensor;

kmux::Program scale() { return kmux::load_program("scale.kmux.json").value(); }
kmux::Kernel kernel() { return kmux::compile(scale(), {.execution_backend = "cpu"}).value(); }
Tensor floats(std::vector<std::int64_t> shape) {
  return Tensor::zeros(std::move(shape), kmux::dtype::kFloat32).value();
}

constexpr const char* kSaxpy = R"(__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
})";

void saxpy(const std::string& signature, const std::string& launch) {
  kmux::kernel(kSaxpy, "kernel " + signature + "\n  launch " + launch, {.execution_backend = "cpu"}).value();
}

const std::map<std::string, std::function<void()>> kMistakes = {
    {"a misspelt dtype in a text",
     [] { saxpy("saxpy(a: f32, x: f23[n], y: inout f32[n])", "saxpy<<<ceildiv(n, 256), 256>>>(a, x, y, n)"); }},
    {"a launch without a block",
     [] { saxpy("saxpy(a: f32, x: f32[n], y: inout f32[n])", "saxpy<<<ceildiv(n, 256)>>>(a, x, y, n)"); }},
    {"a kernel that is not in the source",
     [] { saxpy("saxpy(a: f32, x: f32[n], y: inout f32[n])", "saxpi<<<ceildiv(n, 256), 256>>>(a, x, y, n)"); }},
    {"an argument of another size",
     [] { saxpy("saxpy(a: f32, x: f32[n], y: inout f32[n])", "saxpy<<<ceildiv(n, 256), 256>>>(a, x, y, n: i64)"); }},
    {"a program that is not there", [] { kmux::load_program("scael.kmux.json").value(); }},
    {"a misspelt backend", [] { kmux::compile(scale(), {.execution_backend = "cpuu"}).value(); }},
    {"a misspelt target", [] { kmux::compile(scale(), {.target = "cdua"}).value(); }},
    {"a misspelt option", [] { kmux::compile(scale(), {.options = {{"enigne", "host"}}}).value(); }},
    {"too few arguments", [] { kernel()(floats({8})).value(); }},
    {"an array of another rank", [] { kernel()(floats({2, 4}), 2.0F).value(); }},
    {"an array of another dtype", [] { kernel()(Tensor::zeros({8}, kmux::dtype::kFloat64).value(), 2.0F).value(); }},
    {"a null tensor", [] { kernel()(Tensor(), 2.0F).value(); }},
    {"a device that is not here", [] { kmux::compile(scale(), {.execution_backend = "cpu", .device = 7}).value(); }},
    {"a file that is not a tensor", [] { kmux::load_npy("scale.c").value(); }},
};

int make(const std::string& name) {
  const auto found = kMistakes.find(name);
  if (found == kMistakes.end()) return std::fprintf(stderr, "no mistake \"%s\"\n", name.c_str()), 2;
  try {
    found->second();
  } catch (const kmux::Exception& error) {
    return std::printf("%s\n", error.what()), 0;
  }
  return std::fprintf(stderr, "nothing was thrown\n"), 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return make(argv[1]);
  for (const auto& [name, action] : kMistakes) std::puts(name.c_str());
  return 0;
}

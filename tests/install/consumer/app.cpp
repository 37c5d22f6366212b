// app PROGRAM BACKEND: compiles PROGRAM with BACKEND, as it is and by kmux::jit, and calls it once each; fails unless
// that backend ran.

#include <cstdio>
#include <string>

#include "kmux/jit.h"
#include "kmux/kmux.hpp"

namespace {

struct Config {
  std::string path;
};
BOOST_DESCRIBE_STRUCT(Config, (), (path))

kmux::Status run_jit(const char* path, const char* backend, const kmux::Tensor& input) {
  const auto kernels =
      kmux::jit([](const Config& config) { return kmux::load_program(config.path); }, {.execution_backend = backend});
  KMUX_ASSIGN(const kmux::Kernel kernel, kernels({.path = path}));
  KMUX_TRY(kernel(input));
  return kmux::Ok{};
}

kmux::Status run(const char* path, const char* backend) {
  if (kmux::version() != std::string(KMUX_VERSION))
    return kmux::make_error(kmux::ErrorCode::kInternal, "another library");
  KMUX_ASSIGN(const kmux::Program program, kmux::load_program(path));
  kmux::CompileOptions options;
  options.execution_backend = backend;
  KMUX_ASSIGN(const kmux::Kernel kernel, kmux::compile(program, options));
  KMUX_ASSIGN(const kmux::Tensor host, kmux::Tensor::zeros({8}, kmux::dtype::kFloat32));
  KMUX_ASSIGN(const kmux::Tensor input, host.to(kernel.device()));
  KMUX_ASSIGN(const kmux::Outputs outputs, kernel(input));
  std::printf("%s ran %s, %zu output\n", kernel.backend().c_str(), kernel.name().c_str(), outputs.size());
  if (kernel.backend() != backend) return kmux::make_error(kmux::ErrorCode::kInternal, "another backend ran");
  return run_jit(path, backend, input);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto status = run(argv[1], argv[2]);
  if (!status) std::fprintf(stderr, "%s\n", status.error().explain().c_str());
  return status ? 0 : 1;
}

#pragma once

#include <cstdlib>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "kmux/builder.h"

#include "backend.h"
#include "fake_host.h"
#include "needs.h"
#include "python_server.h"

namespace kmux::cutedsl {

/// A host with the options that the manifest takes from the environment.
class PythonHost : public FakeHost {
 public:
  PythonHost() {
    take("cutedsl.python", "KMUX_CUTEDSL_PYTHON");
    take("cutedsl.venv", "VIRTUAL_ENV");
  }

 private:
  void take(const char* option, const char* variable) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') options[option] = value;
  }
};

/// Wraps and builds programs as the runtime does, with the real CuTe DSL. Skips if it is missing.
class CuteDslTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto python = find_python(host); !python)
      GTEST_SKIP() << needs(compiler_of("cutedsl"), python.error().message);
  }

  Result<Artifact> build(const Program& program, Options options = {}, const std::string& target = "cuda:sm_90a") {
    return wrap_and_build(backend, program, std::move(options), target);
  }
  Error failure(const Program& program, Options options = {}) {
    auto artifact = build(program, std::move(options));
    return artifact ? make_error(ErrorCode::kOk, "it worked") : std::move(artifact).error();
  }

  PythonHost host;
  CuteDslBackend backend{host};
};

inline const std::string kImports = "import cutlass\nimport cutlass.cute as cute\n\n\n";

/// A kernel that doubles a vector.
inline const std::string kScale = kImports + R"(@cute.kernel
def scale(x: cute.Tensor):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < x.shape[0]:
        x[i] = x[i] * 2
)";

/// Returns a program with a float32 buffer "x" of n elements, and `source` in dialect cutedsl.
inline ProgramBuilder vector_program(const std::string& source) {
  ProgramBuilder builder("sample");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {n}});
  builder.variant("cutedsl").source("kernels.py", source);
  return builder;
}

}  // namespace kmux::cutedsl

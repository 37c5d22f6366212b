#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kmux/log.h"
#include "kmux/par_compile.h"
#include "kmux/runtime.h"

#include "compiling_plugin.h"

namespace kmux {

inline Program named(const std::string& name) {
  Variant variant{.dialect = "c"};
  variant.sources = {{"twice.c", "void twice(float* a) { a[0] *= 2; } // " + name + "\n"}};
  variant.body.steps.push_back(Launch{.kernel = "twice", .args = {TensorArg{"a"}}});
  return {.name = name,
          .signature = {.params = {{"a", BufferParam{dtype::kFloat32, {1}}}}},
          .variants = {std::move(variant)}};
}

inline std::vector<Program> numbered(int count) {
  std::vector<Program> programs;
  for (int i = 0; i < count; ++i) programs.push_back(named("p" + std::to_string(i)));
  return programs;
}

inline std::vector<CompileJob> jobs_of(const std::vector<Program>& programs) {
  std::vector<CompileJob> jobs;
  for (const Program& program : programs) jobs.push_back({program});
  return jobs;
}

inline Artifact artifact() { return Artifact{{{"code", "code"}}}; }
inline Error broken(const Program& program) {
  return make_error(ErrorCode::kCompileFailed, program.name + " is broken");
}

/// Runtimes over a plugin whose compiler each test defines.
class ParCompileTest : public testing::Test {
 protected:
  ~ParCompileTest() override { set_log_sink(LogLevel::kDebug, {}); }

  Runtime& runtime_of(CompilingPlugin::Compile compile, Environment environment = {}) {
    auto plugin = Shared<CompilingPlugin>::make([=, this](const Program& program) {
      ++compiled_;
      return compile(program);
    });
    runtime_ = Runtime::with(std::move(environment), Shared<SinglePluginRegistry>::make(std::move(plugin)));
    return *runtime_;
  }
  /// Returns a runtime that compiles at once; the named programs fail.
  Runtime& failing(const std::set<std::string>& names) {
    return runtime_of([names](const Program& program) -> Result<Artifact> {
      if (names.contains(program.name)) return broken(program);
      return artifact();
    });
  }
  static std::vector<std::string> names_of(const std::vector<Kernel>& kernels) {
    std::vector<std::string> names;
    for (const Kernel& kernel : kernels) names.push_back(kernel.name());
    return names;
  }

  Shared<Runtime> runtime_;
  std::atomic<int> compiled_ = 0;
};

}  // namespace kmux

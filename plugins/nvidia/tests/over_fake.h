#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/log.h"
#include "kmux/registry.h"

#include "current_context.h"
#include "fake_cuda.h"
#include "sizes.h"

namespace kmux::nvidia {

/// One of the plugins for NVIDIA's devices, found as in applications, over the fake driver. Compilers are real, and the
/// parameters of kernels are read from their output. At the end the plugin is unloaded, and only `kept` may remain.
class OverFake : public testing::TestWithParam<const char*> {
 protected:
  OverFake();
  ~OverFake() override;
  void SetUp() override;
  void TearDown() override;

  /// Returns true if this plugin is built and has a compiler here; otherwise sets `reason`.
  static bool is_usable(Runtime& runtime, const std::string& plugin, std::string& reason);

  /// Compiles from now on without the cache shared by cases, and destroys a kernel with its last user.
  void use_no_cache();

  /// Sets this variable in the environment of later compilations.
  void use_variable(const std::string& name, const std::string& value);

  /// Unloads the plugin, once no kernel holds it: data for the next compile is read in the background.
  void unload();

  Result<Kernel> try_compile(const ProgramBuilder& builder, Options options = {});
  /// Returns the loaded kernel; throws with the whole error.
  Kernel compiled(const ProgramBuilder& builder, Options options = {});
  /// As `compiled`, and prepares the kernel and clears the recorded calls.
  Kernel warmed(const ProgramBuilder& builder, Options options = {});

  Tensor zeros(const Kernel& kernel, std::vector<std::int64_t> shape, DType dtype = dtype::kFloat32, int device = 0);

  /// Returns the calls since `clear_calls`, except those about contexts, captures and memory.
  std::vector<std::string> work() const;
  /// Launches, and returns its calls as `work` does. Throws if it fails.
  std::vector<std::string> work_of(const Kernel& kernel, const std::vector<Arg>& args, void* stream = nullptr);

  FakeCuda fake = FakeCuda::load();
  Shared<Runtime> runtime;
  std::vector<std::string> logs;  // warnings and above
  fake_cuda::Live kept;  // objects that are left on purpose at the end; at most that many contexts

 private:
  void open_runtime(Environment environment, const std::map<std::string, std::string>& variables);
};

/// Returns an argument in the fake driver's notation.
std::string written(const void* pointer);
std::string written(const Tensor& tensor);
std::string written(int value);
/// "cuLaunchKernelEx NAME grid GRID block BLOCK smem BYTES stream 0x0 args [ARGS] attributes [ATTRIBUTES]"
struct LaunchLine {
  std::string kernel;
  std::vector<std::string> args = {};
  std::string grid = "1,1,1";
  std::string block = "32,1,1";
  unsigned smem = 0;
  std::string stream = "0x0";
  std::string attributes = {};
};
std::string line(const LaunchLine& launch);

/// Returns a program with a buffer "x" of n floats, and a variant of CUDA whose text is `source`.
ProgramBuilder program_of(const std::string& name, const std::string& source);

/// Returns the plugins that launches are tested with: the reduced test omits nvcc's, which takes a second per kernel.
inline std::vector<const char*> plugins_over_fake() {
  return of_size<std::vector<const char*>>({"nvrtc"}, {"nvrtc", "cuda"});
}

#define KMUX_OVER_FAKE(Group)                                                 \
  class Group : public OverFake {};                                           \
  INSTANTIATE_TEST_SUITE_P(On, Group, testing::ValuesIn(plugins_over_fake()), \
                           [](const auto& plugin) { return std::string(plugin.param); })

}  // namespace kmux::nvidia

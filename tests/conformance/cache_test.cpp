// Cache, Tiers, Isolation: each way to a kernel (compiled here, cached, in tiers, isolated) must return the same
// kernel.

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/registry.h"

#include "../temp_folder.h"
#include "programs.h"
#include "subject.h"

namespace kmux::conformance {
namespace {

/// Returns a runtime with the plugin under test and a separate cache.
Shared<Runtime> cached_runtime(const std::filesystem::path& cache) {
  RegistryOptions options{.search_path = {Subject::current().folder()}, .use_default_path = false};
  const Environment process = Environment::from_process();
  options.variables = process.variables;
  return Runtime::create({.cache_dir = cache}, options).value();
}

CompileOptions here() {
  auto& subject = Subject::current();
  return {.execution_backend = subject.name(), .device = subject.device().ordinal()};
}

/// Returns A + A by `kernel`. The kernel belongs to a separate runtime, so its tensors must be on that runtime's
/// device.
std::vector<float> sum_through(const Kernel& kernel) {
  const std::vector<float> values = {1, 2, 3, 4, 5};
  const Tensor host = Tensor::from<float>({5}, dtype::kFloat32, values).value();
  const Tensor x = host.to(kernel.device()).value();
  const Tensor y = kernel(x, x).and_then(single).value().to(Device()).value();
  return {y.data_as<float>(), y.data_as<float>() + 5};
}

const std::vector<float> kDoubled = {2, 4, 6, 8, 10};

TEST(Cache, ASecondRuntimeFindsWhatTheFirstBuilt) {
  const TempFolder cache;
  const BuildResult first = build(*cached_runtime(cache.path()), add_program(), here()).value();
  EXPECT_FALSE(first.from_cache);
  const Shared<Runtime> second = cached_runtime(cache.path());
  const BuildResult again = build(*second, add_program(), here()).value();
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(serialize(again.artifact), serialize(first.artifact));
  EXPECT_EQ(again.launcher, first.launcher);
  EXPECT_EQ(sum_through(compile(*second, add_program(), here()).value()), kDoubled);
}

TEST(Cache, OtherSourcesAreOtherKernels) {
  const TempFolder cache;
  const Shared<Runtime> runtime = cached_runtime(cache.path());
  EXPECT_EQ(sum_through(compile(*runtime, add_program("first"), here()).value()), kDoubled);
  EXPECT_EQ(sum_through(compile(*runtime, add_program("second"), here()).value()), kDoubled);
  EXPECT_FALSE(build(*runtime, add_program("third"), here()).value().from_cache);
}

TEST(Cache, ADamagedEntryIsCompiledAnew) {
  const TempFolder cache;
  build(*cached_runtime(cache.path()), add_program(), here()).value();
  for (const auto& file : std::filesystem::recursive_directory_iterator(cache.path())) {
    if (!file.is_regular_file() || file.path().filename() != "artifact") continue;
    std::filesystem::permissions(file.path(), std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
    std::fstream artifact(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    artifact.seekp(static_cast<std::streamoff>(file.file_size() / 2));
    artifact.write("damaged!", 8);
  }
  EXPECT_EQ(sum_through(compile(*cached_runtime(cache.path()), add_program(), here()).value()), kDoubled);
}

TEST(Tiers, EachGivesTheSame) {
  auto& subject = Subject::current();
  for (const std::string& tier : subject.plugin()->manifest().tiers) {
    const Kernel kernel = subject.compile(add_program(), {.options = {{"tier", tier}}}).value();
    EXPECT_EQ(sum_through(kernel), kDoubled) << tier;
  }
}

TEST(Tiers, TheBestTakesOverBetweenTwoCalls) {
  const Kernel kernel = Subject::current().compile(add_program()).value();
  EXPECT_EQ(sum_through(kernel), kDoubled);
  EXPECT_TRUE(kernel.await_best().ok());
  EXPECT_EQ(sum_through(kernel), kDoubled);
}

TEST(Isolation, AProcessOfItsOwnBuildsTheSame) {
  const TempFolder cache;
  const Shared<Runtime> runtime = cached_runtime(cache.path());
  CompileOptions options = here();
  options.isolation = Isolation::kProcess;
  const auto kernel = compile(*runtime, add_program(), options);
  ASSERT_TRUE(kernel.ok()) << kernel.error().explain();
  EXPECT_EQ(sum_through(*kernel), kDoubled);
}

TEST(Isolation, ErrorsComeThroughWhole) {
  ProgramBuilder builder("broken");
  builder.output("out", dtype::kInt32, {1});
  add_variants(builder, "KERNEL void broken(int* out) { *out = this_is_not_declared; }\n",
               [](const OneThread& host) { host.launch("broken").args({"out"}); });
  const Program program = builder.build().value();
  CompileOptions options = here();
  options.use_cache = false;
  const auto in_process = build(Subject::current().runtime(), program, options);
  options.isolation = Isolation::kProcess;
  const auto isolated = build(Subject::current().runtime(), program, options);
  ASSERT_EQ(in_process.ok(), isolated.ok());
  if (isolated.ok()) return;  // the dialect compiles undeclared names
  EXPECT_EQ(isolated.error().code, in_process.error().code);
  EXPECT_EQ(isolated.error().message, in_process.error().message);
  EXPECT_EQ(isolated.error().note("log").has_value(), in_process.error().note("log").has_value());
}

}  // namespace
}  // namespace kmux::conformance

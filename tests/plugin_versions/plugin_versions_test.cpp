// Plugins that were built with an older and with a newer plugin.h than this host.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/json.h"
#include "kmux/kmux.hpp"
#include "kmux/plugin/file_io.h"
#include "kmux/registry.h"

#include "temp_folder.h"

namespace kmux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// x times a number in place; the number is the source.
Program times(const std::string& factor) {
  const Expr n = Expr::symbol("n");
  Program program{.name = "times"};
  program.signature.params = {{"x", BufferParam{dtype::kInt64, {n}}}};
  program.signature.symbols = {{"n", dtype::kInt64}};
  Variant variant{.dialect = "plain"};
  variant.sources = {{"factor.txt", factor}};
  variant.body.steps = {Launch{.kernel = "times", .args = {TensorArg{"x"}, ExprArg{n}}}};
  program.variants.push_back(std::move(variant));
  return program;
}

class PluginVersionsTest : public testing::TestWithParam<const char*> {
 protected:
  static Shared<Runtime> runtime_of(const std::string& plugin, const std::filesystem::path& cache) {
    const auto folder = std::filesystem::path(KMUX_TEST_PLUGIN_DIR) / "versions" / plugin;
    return Runtime::create({.cache_dir = cache}, {.search_path = {folder}, .use_default_path = false}).value();
  }
  TempFolder folder_;
  Shared<Runtime> runtime_ = runtime_of(GetParam(), folder_.path() / "cache");
};

TEST_P(PluginVersionsTest, RunsBuiltAndCachedKernels) {
  for (int round = 0; round < 2; ++round) {  // the second from the cache
    const Kernel kernel = compile(*runtime_, times("-3")).value();
    const Tensor x = Tensor::zeros({3}, dtype::kInt64, kernel.device()).value();
    const std::vector<std::int64_t> values = {1, -2, 5};
    ASSERT_TRUE(x.copy_from(Tensor::from<std::int64_t>({3}, dtype::kInt64, values).value()).ok());
    ASSERT_TRUE(kernel.launch({x}).ok());
    const Tensor result = x.to(Device()).value();
    EXPECT_THAT(std::vector<std::int64_t>(result.data_as<std::int64_t>(), result.data_as<std::int64_t>() + 3),
                ElementsAre(-3, 6, -15));
  }
}

TEST_P(PluginVersionsTest, CompileErrorKeepsItsNotes) {
  const auto kernel = compile(*runtime_, times("three"));
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(kernel.error().message, HasSubstr("the source is no number"));
  EXPECT_EQ(kernel.error().note("log"), "line 1: expected digits");
}

// A plugin of next year has keys that this kmux does not know.
TEST_P(PluginVersionsTest, UnknownManifestKeysAreIgnored) {
  const std::filesystem::path copy = folder_.path() / "copy";
  std::filesystem::copy(std::filesystem::path(KMUX_TEST_PLUGIN_DIR) / "versions" / GetParam(), copy);
  const std::filesystem::path manifest = copy / ("kmux_" + std::string(GetParam()) + ".plugin.json");
  Json json = parse_json(read_file(manifest).value()).value();
  json["colour"] = "red";
  ASSERT_TRUE(write_file(manifest, dump(json)).ok());
  const auto registry = Registry::open({.search_path = {copy}, .use_default_path = false}).value();
  EXPECT_TRUE(registry->plugin(GetParam()).ok());
  EXPECT_THAT(registry->manifests().front().ignored, ElementsAre("\"colour\""));
}

INSTANTIATE_TEST_SUITE_P(Headers, PluginVersionsTest, testing::Values("plain_v1", "plain_v2"),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace kmux

// TileLang's output for CuTe DSL (tests/data/tilelang), compiled with CuTe DSL and the modules that it imports.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/artifact.h"

#include "needs.h"
#include "tilelang_programs.h"
#include "workbench.h"

namespace kmux::cutedsl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kModules = fs::path(KMUX_TEST_TILELANG_HEADERS) / "python";

// Returns the program of that name with its variant in dialect cutedsl alone.
Program exported(const std::string& name) {
  Program program =
      nvidia::read_program_file(fs::path(KMUX_TEST_DATA_DIR) / "tilelang" / name / (name + ".kmux.json")).value();
  std::erase_if(program.variants, [](const Variant& variant) { return variant.dialect != "cutedsl"; });
  return program;
}

class TileLangTest : public CuteDslTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    CuteDslTest::SetUp();
    if (!fs::exists(kModules))
      GTEST_SKIP() << needs("TileLang's headers", std::string(kModules) + "; ./kmux.sh test fetches them");
  }
};

TEST_P(TileLangTest, CompilesExportedProgram) {
  const auto artifact = build(exported(GetParam()), {{"include_dirs", kModules}});
  ASSERT_TRUE(artifact.ok()) << artifact.error().explain();
  EXPECT_THAT(*artifact->find("deps"), HasSubstr("contrib/cutedsl/__init__.py"));
}

// Element-wise kernels, one of them on uint8, matrix products by tensor maps, two kernels of which the second begins
// early, and host setup: workspaces, a window of the L2 cache, fills.
INSTANTIATE_TEST_SUITE_P(Exported, TileLangTest,
                         testing::Values("add_anywhere", "gemm_f16_dynamic", "gemm_f16_split", "overlap", "relax",
                                         "look_up", "column_sums", "widen_bytes"));

}  // namespace
}  // namespace kmux::cutedsl

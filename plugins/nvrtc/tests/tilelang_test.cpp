#include <filesystem>

#include <gmock/gmock.h>

#include "../../nvidia/tests/tilelang_programs.h"
#include "meta.h"
#include "needs.h"
#include "nvidia/cubin.h"
#include "workbench.h"

namespace kmux::nvrtc {
namespace {

namespace fs = std::filesystem;
using testing::SizeIs;

// Output of TileLang's exporter, compiled by its settings alone: the backend has no knowledge of TileLang.
class TileLangTest : public NvrtcTest {
 protected:
  void SetUp() override {
    NvrtcTest::SetUp();
    if (!fs::is_directory(headers + "/tl_templates") || !fs::is_directory(headers + "/cutlass")) {
      GTEST_SKIP() << needs("TileLang's headers", headers + "; ./kmux.sh test fetches them");
    }
  }
  const std::string headers = KMUX_TEST_TILELANG_HEADERS;
};

TEST_F(TileLangTest, EveryCudaProgramCompiles) {
  const std::vector<Program> programs = nvidia::tilelang_programs();
  EXPECT_THAT(programs, SizeIs(15));
  for (const Program& program : programs) {
    const auto artifact = build(program, {{"include_dirs", headers + "\n" + headers + "/cutlass"}});
    ASSERT_TRUE(artifact.ok()) << program.name << ": " << artifact.error().explain();
    const auto symbols = parse_meta(*artifact->find("meta.json")).value().symbols;
    const auto present = nvidia::cubin_kernels(*artifact->find("code")).value();
    for (const auto& [kernel, symbol] : symbols) EXPECT_THAT(present, testing::Contains(symbol)) << program.name;
    EXPECT_TRUE(dependencies_from_json(*artifact->find("deps")).value().complete) << program.name;
  }
}

TEST_F(TileLangTest, MissingHeadersErrorNamesPackages) {
  const std::vector<Program> programs = nvidia::tilelang_programs();
  EXPECT_THAT(failure(programs.front()).message, testing::HasSubstr("need the headers of tilelang, cutlass"));
}

}  // namespace
}  // namespace kmux::nvrtc

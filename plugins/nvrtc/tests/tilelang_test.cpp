#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>

#include "kmux/dispatch_json.h"
#include "kmux/file_io.h"

#include "meta.h"
#include "nvidia/cubin.h"
#include "workbench.h"

namespace kmux::nvrtc {
namespace {

namespace fs = std::filesystem;
using testing::SizeIs;

Result<Program> read(const fs::path& file) {
  KMUX_ASSIGN(const std::string text, read_file(file));
  return from_json(text, [&](const std::string& path) { return read_file(file.parent_path() / path); });
}

// The exported programs that have a variant of dialect cuda, with that variant alone.
std::vector<Program> cuda_programs() {
  std::vector<Program> programs;
  for (const auto& folder : fs::directory_iterator(KMUX_TEST_DATA_DIR "/tilelang")) {
    const std::string name = folder.path().filename().string();
    Program program = read(folder.path() / (name + ".kmux.json")).value();
    std::erase_if(program.variants, [](const Variant& variant) { return variant.dialect != "cuda"; });
    if (!program.variants.empty()) programs.push_back(std::move(program));
  }
  std::ranges::sort(programs, {}, &Program::name);
  return programs;
}

// What TileLang's exporter wrote, by its settings alone: nothing in the backend knows of TileLang.
class TileLang : public NvrtcTest {
 protected:
  void SetUp() override {
    NvrtcTest::SetUp();
    if (!fs::is_directory(headers + "/tl_templates") || !fs::is_directory(headers + "/cutlass")) {
      GTEST_SKIP() << "TileLang's and CUTLASS's headers are not in \"" << headers
                   << "\" (KMUX_TILELANG_HEADERS; ./kmux.sh test fetches them)";
    }
  }
  const std::string headers = KMUX_TEST_TILELANG_HEADERS;
};

TEST_F(TileLang, EveryCudaProgramCompiles) {
  const std::vector<Program> programs = cuda_programs();
  EXPECT_THAT(programs, SizeIs(14));
  for (const Program& program : programs) {
    const auto artifact = build(program, {{"include_dirs", headers + "\n" + headers + "/cutlass"}});
    ASSERT_TRUE(artifact.ok()) << program.name << ": " << artifact.error().explain();
    const auto symbols = parse_meta(*artifact->find("meta.json")).value().symbols;
    const auto present = nvidia::cubin_kernels(*artifact->find("code")).value();
    for (const auto& [kernel, symbol] : symbols) EXPECT_THAT(present, testing::Contains(symbol)) << program.name;
    EXPECT_TRUE(dependencies_from_json(*artifact->find("deps")).value().complete) << program.name;
  }
}

TEST_F(TileLang, WithoutItsHeadersTheErrorSaysWhatIsMissing) {
  const std::vector<Program> programs = cuda_programs();
  EXPECT_THAT(failure(programs.front()).message, testing::HasSubstr("need the headers of tilelang, cutlass"));
}

}  // namespace
}  // namespace kmux::nvrtc

// The expected plans and launchers of every exported program with a device variant. KMUX_UPDATE_GOLDENS=1 rewrites them.
#include <filesystem>
#include <set>

#include <gmock/gmock.h>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/driver_dialect.h"
#include "kmux/validate.h"

#include "compiled.h"
#include "expected.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

const fs::path kExported = fs::path(KMUX_TEST_DATA_DIR) / "tilelang";

Program read_program(const std::string& name) {
  const fs::path folder = kExported / name;
  const FileReader read = [&](const std::string& path) { return Result<std::string>(test::read(folder / path)); };
  return from_json(test::read(folder / (name + ".kmux.json")), read).value();
}

/// A device variant of an exported program.
struct Exported {
  std::string program;
  std::size_t variant;
  std::string label;  // "gemm_f16.cuda"
};

void PrintTo(const Exported& exported, std::ostream* out) { *out << exported.label; }

std::vector<Exported> exported() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(kExported)) names.insert(entry.path().filename());
  std::vector<Exported> result;
  for (const std::string& name : names) {
    const Program program = read_program(name);
    for (std::size_t i = 0; i < program.variants.size(); ++i) {
      const std::string& dialect = program.variants[i].dialect;
      if (dialect != "c") result.push_back({name, i, name + "." + dialect});
    }
  }
  return result;
}

class ExportedProgramsTest : public ::testing::TestWithParam<Exported> {
 protected:
  static Plan plan() { return lower(read_program(GetParam().program), GetParam().variant).value(); }
  static std::string launcher() {
    DriverDialect dialect;
    return emit_launcher(plan(), dialect, "kmux_launch");
  }
};

TEST_P(ExportedProgramsTest, AreValid) {
  EXPECT_THAT(validate(read_program(GetParam().program)), ::testing::IsEmpty());
}

TEST_P(ExportedProgramsTest, PlansMatchGoldens) {
  test::expect_golden("exported/" + GetParam().label + ".plan.txt", to_string(plan()));
}

TEST_P(ExportedProgramsTest, LaunchersMatchGoldens) {
  test::expect_golden("exported/" + GetParam().label + ".launcher.txt", test::function_of(launcher()));
}

TEST_P(ExportedProgramsTest, LaunchersCompileWithoutWarnings) {
  const Status status = test::check_syntax(launcher());
  EXPECT_TRUE(status) << status.error().message;
}

INSTANTIATE_TEST_SUITE_P(Variants, ExportedProgramsTest, ::testing::ValuesIn(exported()), [](const auto& param) {
  std::string name = param.param.label;
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace kmux

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../tests/temp_folder.h"
#include "host_compiler.h"

namespace kmux::cpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace fs = std::filesystem;

BuildOptions with_compiler(const std::string& program) {
  BuildOptions options;
  options.engine = Engine::kHost;
  options.host_compiler = program;
  return options;
}

// Returns a fake compiler of one shell line, which counts its runs by lines of the file "runs".
std::string fake_compiler(const TempFolder& folder, const std::string& says) {
  const fs::path program =
      folder.write("cc", "#!/bin/sh\necho >> " + (folder.path() / "runs").string() + "\nprintf '" + says + "' >&2\n");
  fs::permissions(program, fs::perms::owner_all);
  return program.string();
}

TEST(HostFoldersTest, ComeFromSystemCompiler) {
  HostFolders folders;
  for (const Language language : {Language::kC, Language::kCpp}) {
    for (const std::string& folder : folders.find(with_compiler(""), language).value()) {
      EXPECT_TRUE(fs::is_directory(folder)) << folder;
    }
  }
  EXPECT_GT(folders.find(with_compiler(""), Language::kCpp).value().size(),
            folders.find(with_compiler(""), Language::kC).value().size());
}

TEST(HostFoldersTest, AreCachedPerLanguage) {
  const TempFolder folder;
  const std::string list = "#include <...> search starts here:\\n /a b\\n /c\\nEnd of search list.\\n";
  const BuildOptions options = with_compiler(fake_compiler(folder, list));
  setenv("KMUX_COMPILER_WRITES", folder.path().c_str(), /*overwrite=*/1);
  HostFolders folders;
  for (int i = 0; i < 3; ++i) EXPECT_THAT(folders.find(options, Language::kC).value(), ElementsAre("/a b", "/c"));
  EXPECT_EQ(fs::file_size(folder.path() / "runs"), 1U);
  (void)folders.find(options, Language::kCpp);
  unsetenv("KMUX_COMPILER_WRITES");
  EXPECT_EQ(fs::file_size(folder.path() / "runs"), 2U);
}

TEST(HostFoldersTest, ReportUnusableCompilerOutput) {
  const TempFolder folder;
  HostFolders folders;
  const auto result = folders.find(with_compiler(fake_compiler(folder, "hello")), Language::kC);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(result.error().message, HasSubstr("does not say where it looks for headers"));
}

TEST(HostFoldersTest, AreParsedFromCompilerOutput) {
  EXPECT_THAT(folders_in("x\n#include \"...\" search starts here:\n#include <...> search starts here:\n /usr/include\n"
                         "End of search list.\ny\n"),
              ElementsAre("/usr/include"));
  EXPECT_THAT(folders_in("#include <...> search starts here:\n /usr/include\n"), IsEmpty());
}

}  // namespace
}  // namespace kmux::cpu

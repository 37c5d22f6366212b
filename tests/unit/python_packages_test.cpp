#include <dlfcn.h>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/dynamic_library.h"

#include "temp_folder.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PythonPackagesTest, AreFoundInVirtualEnvironment) {
  const TempFolder folder;
  folder.write("lib/python3.12/site-packages/x", "");
  folder.write("lib/python3.11/site-packages/x", "");
  folder.write("lib/other/site-packages/x", "");
  const auto at = [&](const char* name) { return (folder.path() / name).string(); };
  EXPECT_THAT(python_packages(folder.path().string(), nullptr),
              ElementsAre(at("lib/python3.11/site-packages"), at("lib/python3.12/site-packages")));
  EXPECT_THAT(python_packages(at("nothing"), nullptr), IsEmpty());
  EXPECT_THAT(python_packages("", nullptr), IsEmpty());
}

TEST(PythonPackagesTest, AreFoundAroundInstalledLibrary) {
  const TempFolder folder;
  const std::filesystem::path plugin = folder.path() / "dist-packages/kmux/plugins/null.so";
  std::filesystem::create_directories(plugin.parent_path());
  std::filesystem::copy_file(std::filesystem::path(KMUX_TEST_PLUGIN_DIR) / "null/kmux_null.so", plugin);
  void* const library = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_THAT(python_packages("", dlsym(library, "kmux_plugin_query")),
              ElementsAre((folder.path() / "dist-packages").string()));
  dlclose(library);
}

}  // namespace
}  // namespace kmux

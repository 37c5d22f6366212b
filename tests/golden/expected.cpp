#include "expected.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace kmux::test {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string function_of(const std::string& launcher) {
  return launcher.substr(launcher.rfind("\nextern \"C\" int") + 1);
}

void expect_golden(const std::string& name, const std::string& actual) {
  const std::filesystem::path path = std::string(KMUX_GOLDEN_DIR) + "/expected/" + name;
  const char* update = std::getenv("KMUX_UPDATE_GOLDENS");
  if (update != nullptr && std::string_view(update) == "1") {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << actual;
  }
  EXPECT_EQ(read(path), actual) << path << "\nKMUX_UPDATE_GOLDENS=1 rewrites it.";
}

}  // namespace kmux::test

#include "kmux/host_compiler.h"

#include <filesystem>
#include <optional>
#include <vector>

#include "kmux/process.h"

namespace kmux {

namespace fs = std::filesystem;

Result<std::string> find_host_compiler(const std::string& asked, std::string_view user) {
  std::vector<std::string> names = {"c++", "g++", "clang++"};
  if (!asked.empty()) names = {asked};
  std::error_code error;
  for (const std::string& name : names) {
    const bool is_path = name.find('/') != std::string::npos;
    const auto found = is_path ? std::optional(name) : find_program(name);
    const fs::path real = found ? fs::canonical(*found, error) : fs::path();
    if (found && !error) return real.string();
  }
  return make_error(ErrorCode::kUnavailable, "no C++ compiler was found (looked for \"" + names.front() + "\"; " +
                                                 std::string(user) + " needs one). Install it: apt-get install g++.");
}

const std::map<std::string, std::string>& compiler_environment() {
  static const std::map<std::string, std::string> environment = {
      {"LC_ALL", "C"}, {"CPATH", ""}, {"C_INCLUDE_PATH", ""}, {"CPLUS_INCLUDE_PATH", ""}};
  return environment;
}

}  // namespace kmux

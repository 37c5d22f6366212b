#include "compiled.h"

#include <filesystem>
#include <unistd.h>

#include <gtest/gtest.h>

#include "kept_output.h"

namespace kmux::test {
namespace {

Result<std::string> compiled(const std::string& code, const std::vector<std::string>& flags) {
  Command command{.argv = {KMUX_TEST_COMPILER, "-x", "c++", "-std=c++17"}};
  command.argv.insert(command.argv.end(), flags.begin(), flags.end());
  command.argv.emplace_back("-");
  command.standard_input = code;
  return kept_output(std::move(command));
}

// Returns a unique path for each library: the loader would return the loaded library for a known path.
std::string new_path() {
  static int count = 0;
  return ::testing::TempDir() + "kmux_golden_" + std::to_string(::getpid()) + "_" + std::to_string(count++) + ".so";
}

}  // namespace

Status check_syntax(const std::string& code) {
  KMUX_TRY(compiled(code, {"-Wall", "-Wextra", "-Werror", "-c"}));
  return Ok{};
}

Result<DynamicLibrary> compile(const std::string& code) {
  KMUX_ASSIGN(const std::string kept, compiled(code, {"-O1", "-shared", "-fPIC", "-fsanitize=undefined",
                                                      "-fsanitize-undefined-trap-on-error"}));
  const std::string path = new_path();
  std::filesystem::copy_file(kept, path);
  auto library = DynamicLibrary::open({path});
  std::filesystem::remove(path);  // an open library stays loaded
  return library;
}

}  // namespace kmux::test

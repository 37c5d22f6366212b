#include "compiled.h"

#include <filesystem>
#include <unistd.h>

#include <gtest/gtest.h>

#include "kmux/plugin/process.h"

namespace kmux::test {
namespace {

Status run_compiler(const std::string& code, std::vector<std::string> flags) {
  Command command{.argv = {KMUX_TEST_COMPILER, "-x", "c++", "-std=c++17"}};
  command.argv.insert(command.argv.end(), flags.begin(), flags.end());
  command.argv.emplace_back("-");
  command.standard_input = code;
  KMUX_ASSIGN(const ProcessResult result, run(command));
  if (result.exit_code == 0) return Ok{};
  return make_error(ErrorCode::kCompileFailed, to_string(command) + "\n" + result.standard_error + "\n" + code);
}

// A name of its own for each library: the loader would give the old one for a name that it knows.
std::string new_path() {
  static int count = 0;
  return ::testing::TempDir() + "kmux_golden_" + std::to_string(::getpid()) + "_" + std::to_string(count++) + ".so";
}

}  // namespace

Status check_syntax(const std::string& code) {
  return run_compiler(code, {"-Wall", "-Wextra", "-Werror", "-fsyntax-only"});
}

Result<DynamicLibrary> compile(const std::string& code) {
  const std::string path = new_path();
  KMUX_TRY(run_compiler(
      code, {"-O1", "-shared", "-fPIC", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-o", path}));
  auto library = DynamicLibrary::open({path});
  std::filesystem::remove(path);  // what is open stays loaded
  return library;
}

}  // namespace kmux::test

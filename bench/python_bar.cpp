#include "python_bar.h"

#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "kmux/plugin/process.h"

namespace kmux::bench {
namespace {

// What the script writes to stdout.
std::string script(const std::vector<std::string>& words) {
  Command command{.argv = {KMUX_BENCH_PYTHON, "-B", KMUX_BENCH_PYTHON_BARS}};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  command.environment = {{"KMUX_TVM_FFI_LIBRARY", KMUX_BENCH_TVM_FFI_LIBRARY},
                         {"PYTHONPATH", KMUX_BENCH_ROOT "/integrations/tvm_ffi/python"}};
  const ProcessResult result = run(command).value();
  if (result.exit_code != 0) throw std::runtime_error(result.standard_error);
  std::fputs(result.standard_error.c_str(), stderr);
  return result.standard_output;
}

}  // namespace

double measured_in_python(const std::string& name) {
  const std::string prefix = "bar " + name + " ";
  const std::string text = script({name});
  if (!text.starts_with(prefix))
    throw std::runtime_error(std::string(KMUX_BENCH_PYTHON_BARS) + " writes '" + text + "'");
  return std::stod(text.substr(prefix.size()));
}

std::string missing_in_python(const std::string& name) {
  for (const char* file : {KMUX_BENCH_PYTHON, KMUX_BENCH_TVM_FFI_LIBRARY}) {
    if (!std::filesystem::exists(file)) return "there is no " + std::string(file);
  }
  std::string reason = script({"--missing", name});
  return reason.substr(0, reason.find('\n'));
}

}  // namespace kmux::bench

#include "promises/page_checks.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "kmux/plugin/process.h"

namespace kmux::bench {
namespace {

const std::string kTests = KMUX_BENCH_ROOT "/tests/";

/// What a script of the tests counts.
double count_of(Command command) {
  command.argv.emplace_back("--count");
  const ProcessResult result = run(command).value();
  if (result.exit_code != 0) throw std::runtime_error(to_string(command) + ": " + result.standard_error);
  return std::stod(result.standard_output);
}

double long_messages(const std::string& python, const std::string& door, const std::string& program) {
  return count_of({.argv = {python, "-B", kTests + "mistakes/mistakes_test.py", door, "--program", program},
                   .environment = {{"KMUX_TVM_FFI_LIBRARY", KMUX_BENCH_TVM_FFI_LIBRARY},
                                   {"PYTHONPATH", KMUX_BENCH_ROOT "/integrations/tvm_ffi/python"}}});
}

}  // namespace

double documented_names_refused() {
  return count_of({.argv = {KMUX_BENCH_PYTHON, "-B", kTests + "pages/names_test.py", KMUX_BENCH_KMUX}});
}

double messages_over_5_lines() {
  return long_messages(KMUX_BENCH_PYTHON, "c", KMUX_BENCH_KMUX) +
         long_messages(KMUX_BENCH_PYTHON, "command", KMUX_BENCH_KMUX) +
         long_messages(KMUX_BENCH_PYTHON, "cpp", KMUX_BENCH_MISTAKES) +
         long_messages(KMUX_BENCH_VENV_PYTHON, "python", "");
}

}  // namespace kmux::bench

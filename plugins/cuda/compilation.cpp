#include "compilation.h"

#include "kmux/compile_log.h"
#include "kmux/host_compiler.h"
#include "kmux/process.h"

namespace kmux::cuda {
Result<Compilation> Compilation::begin(const Host& host) {
  KMUX_ASSIGN(PrivateFolder folder, PrivateFolder::create("kmux-cuda"));
  return Compilation(host, std::move(folder));
}

Result<std::string> Compilation::run(std::string_view what, const std::string& program,
                                     std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), program);
  Command command{std::move(arguments), folder_.path(), compiler_environment()};
  command.environment["TMPDIR"] = folder_.path();
  command.stopping = [host = host_] { return host.stopping(); };
  KMUX_ASSIGN(const ProcessResult result, kmux::run(command));
  std::string log = result.standard_error + result.standard_output;
  if (result.exit_code == 0) return log;
  return compile_error("cannot " + std::string(what), log).with("command", to_string(command));
}

}  // namespace kmux::cuda

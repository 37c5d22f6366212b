#include "compilation.h"

#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/process.h"

namespace kmux::nvidia {

Result<Compilation> Compilation::begin(const Host& host, const std::string& backend) {
  KMUX_ASSIGN(PrivateFolder folder, PrivateFolder::create("kmux-" + backend));
  return Compilation(host, std::move(folder));
}

Result<std::string> Compilation::run(std::string_view what, const std::string& program,
                                     std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), program);
  Command command = compiler_command(std::move(arguments), folder_.path());
  command.stopping = [host = host_] { return host.stopping(); };
  KMUX_ASSIGN(const ProcessResult result, kmux::run(command));
  std::string log = result.standard_error + result.standard_output;
  if (result.exit_code == 0) return log;
  return compile_error("cannot " + std::string(what), log).with("command", to_string(command));
}

}  // namespace kmux::nvidia

// SPDX-License-Identifier: Apache-2.0
#include "counted.h"

#include <cstdio>
#include <stdexcept>
#include <utility>

#include "kmux/plugin/process.h"

namespace kmux::bench {

double counted(const std::string& label, std::vector<std::string> words,
               std::map<std::string, std::string> environment) {
  Command command{.argv = std::move(words)};
  command.environment = std::move(environment);
  const ProcessResult result = run(command).value();
  const std::string text = "\n" + result.standard_output;
  if (result.exit_code != 0) std::fputs((text + result.standard_error).c_str(), stderr);
  const std::size_t at = text.rfind("\n" + label + " ");
  if (at == std::string::npos) throw std::runtime_error("no line \"" + label + " N\": " + text + result.standard_error);
  return std::stod(text.substr(at + label.size() + 2));
}

}  // namespace kmux::bench

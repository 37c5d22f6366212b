#include "arguments.h"

#include "kmux/compiler_flags.h"

namespace kmux::nvrtc {

std::vector<std::string> compiler_arguments(const nvidia::BuildOptions& options, const Settings& settings,
                                            const SourceUnit& unit, nvidia::Arch arch,
                                            const std::vector<std::string>& folders) {
  std::vector<std::string> arguments = {"--gpu-architecture=" + to_string(arch), "-default-device"};
  add_standard(arguments, settings, options.compile_flags);
  if (options.line_info) arguments.emplace_back("-lineinfo");
  if (options.fast_math || settings.fast_math) arguments.emplace_back("--use_fast_math");
  if (options.max_registers > 0) arguments.push_back("--maxrregcount=" + std::to_string(options.max_registers));
  if (options.tier == nvidia::Tier::kFast) arguments.emplace_back("--Ofast-compile=max");
  for (const std::string& define : settings.defines) arguments.push_back("-D" + define);
  arguments.insert(arguments.end(), options.compile_flags.begin(), options.compile_flags.end());
  for (const auto* list : {&options.include_dirs, &folders}) {
    for (const std::string& folder : *list) arguments.push_back("-I" + folder);
  }
  for (const std::string& prelude : unit.preludes) arguments.push_back("--pre-include=" + prelude);
  return arguments;
}

}  // namespace kmux::nvrtc

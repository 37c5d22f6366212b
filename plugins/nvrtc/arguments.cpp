#include "arguments.h"

#include "kmux/plugin/compiler_flags.h"

namespace kmux::nvrtc {
namespace {

/// Is it about host code, of which NVRTC compiles none? nvcc's -O is, by its manual, and so are warnings of the host's compiler.
bool is_for_the_host(const std::string& flag) { return flag.starts_with("-O") || flag.starts_with("-Wno-"); }

}  // namespace

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
  for (const std::string& flag : options.compile_flags) {
    if (flag.starts_with("-Ofast-compile=") || !is_for_the_host(flag)) arguments.push_back(flag);
  }
  for (const auto* list : {&options.include_dirs, &folders}) {
    for (const std::string& folder : *list) arguments.push_back("-I" + folder);
  }
  for (const std::string& prelude : unit.preludes) arguments.push_back("--pre-include=" + prelude);
  return arguments;
}

}  // namespace kmux::nvrtc

#include "hiprtc_compiler.h"

#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/rtc_program.h"

#include "built_in_headers.h"

namespace kmux::hip {
namespace {

// hiprtc has no option for what is included first.
std::string text_of(const SourceUnit& unit) {
  std::string text;
  for (const std::string& prelude : unit.preludes) text += "#include \"" + prelude + "\"\n";
  return text + "#line 1 \"" + unit.path + "\"\n" + unit.text;
}

std::vector<std::string> arguments_of(const Settings& settings, const BuildOptions& options, std::string_view arch) {
  std::vector<std::string> arguments = {"--offload-arch=" + std::string(arch), "-O3"};
  add_standard(arguments, settings, options.compile_flags);
  if (options.fast_math || settings.fast_math) arguments.emplace_back("-ffast-math");
  for (const std::string& define : settings.defines) arguments.push_back("-D" + define);
  arguments.insert(arguments.end(), options.compile_flags.begin(), options.compile_flags.end());
  for (const std::string& folder : options.include_dirs) arguments.push_back("-I" + folder);
  return arguments;
}

Error compile_failure(const HiprtcLibrary& library, const SourceUnit& unit, int result, const std::string& log) {
  if (result == kHiprtcCompilationError) return compile_error("cannot compile \"" + unit.path + "\"", log);
  return library.failure("hiprtcCompileProgram", result).with("log", log);
}

}  // namespace

Result<Compiled> compile_with_hiprtc(const HiprtcLibrary& library, const SourceUnit& unit, const Settings& settings,
                                     const BuildOptions& options, std::string_view arch,
                                     const std::vector<std::string>& names) {
  RtcProgram program(library);
  Compiled compiled{.code = {}, .compiler = library.name(), .arguments = arguments_of(settings, options, arch)};
  KMUX_TRY(program.create(text_of(unit), SourceUnit{unit.path, {}, {}, files_for_hiprtc(unit, options)}));
  KMUX_TRY(program.add_names(names));
  const int result = program.compile(compiled.arguments);
  KMUX_ASSIGN(compiled.log, program.log());
  if (result != 0) return compile_failure(library, unit, result, compiled.log);
  KMUX_ASSIGN(compiled.symbols, program.symbols(names));
  KMUX_ASSIGN(compiled.code, program.code());
  return compiled;
}

}  // namespace kmux::hip

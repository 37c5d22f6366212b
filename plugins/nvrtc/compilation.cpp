#include "compilation.h"

#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/rtc_program.h"

namespace kmux::nvrtc {
namespace {

NvrtcResult compile_program(const NvrtcLibrary& library, RtcProgram<NvrtcLibrary>& program,
                            std::vector<std::string> options) {
  // NVRTC 13 keeps what it made where the driver does, and starts the driver for that. kmux has a cache of its own.
  if (library.is_at_least(13, 0)) options.emplace_back("--no-cache");
  return program.compile(options);
}

std::string without_folder(std::string text) {
  for (std::size_t at = text.find(kProgramFolder); at != text.npos; at = text.find(kProgramFolder, at)) {
    text.erase(at, kProgramFolder.size());
  }
  return text;
}

Error compile_failure(const NvrtcLibrary& library, const Compilation& compilation, NvrtcResult result,
                      const std::string& log) {
  if (result == NvrtcResult::kCompilation) {
    return compile_error("cannot compile \"" + without_folder(compilation.unit.path) + "\"", log);
  }
  if (result == NvrtcResult::kInvalidOption) {
    return make_error(ErrorCode::kInvalidArgument,
                      "NVRTC " + library.version() + " does not take an option (" + log.substr(0, log.find('\n')) +
                          "). Correct compile_flags, or use another architecture or a newer NVRTC.")
        .with("log", log);
  }
  return library.failure("nvrtcCompileProgram", result).with("log", log);
}

}  // namespace

Result<Compiled> compile(const NvrtcLibrary& library, const Compilation& compilation) {
  RtcProgram program(library);
  KMUX_TRY(program.create(compilation.unit.text, compilation.unit));
  KMUX_TRY(program.add_names(compilation.names));
  const NvrtcResult result = compile_program(library, program, compilation.options);
  Compiled compiled;
  KMUX_ASSIGN(std::string log, program.log());
  compiled.is_about_program = log.find(kProgramFolder) != log.npos;
  compiled.log = without_folder(std::move(log));
  if (result != NvrtcResult::kSuccess) return compile_failure(library, compilation, result, compiled.log);
  KMUX_ASSIGN(compiled.cubin, program.code());
  KMUX_ASSIGN(compiled.symbols, program.symbols(compilation.names));
  if (library.has_pch()) compiled.pch = library.calls().pch_create_status(program.handle());
  return compiled;
}

}  // namespace kmux::nvrtc

#include "compiler_choice.h"

#include "kmux/plugin/file_identity.h"
#include "kmux/plugin/host_compiler.h"

#include "hiprtc_library.h"
#include "target.h"

namespace kmux::hip {
namespace {

Result<CompilerChoice> with_clang(const Host& host) {
  KMUX_ASSIGN(ClangToolchain clang, find_clang(host));
  return CompilerChoice{{}, std::move(clang)};
}

Result<CompilerChoice> choose_any(const Host& host, std::string_view arch, Includes includes) {
  auto hiprtc = HiprtcLibrary::open(host);
  const bool knows = hiprtc && hiprtc->knows(arch);
  if (knows && includes == Includes::kBuiltIn) return CompilerChoice{*std::move(hiprtc), {}};
  auto clang = with_clang(host);
  if (knows && !clang) return CompilerChoice{*std::move(hiprtc), {}};
  if (clang || hiprtc) return clang;
  return make_error(ErrorCode::kUnavailable, "no compiler for AMD's devices is there. " + hiprtc.error().message +
                                                 " Or: " + clang.error().message);
}

}  // namespace

Result<CompilerChoice> choose_compiler(const Host& host, Engine engine, std::string_view arch, Includes includes) {
  if (engine == Engine::kClang) return with_clang(host);
  if (engine == Engine::kAuto) return choose_any(host, arch, includes);
  KMUX_ASSIGN(HiprtcLibrary hiprtc, HiprtcLibrary::open(host));
  return CompilerChoice{std::move(hiprtc), {}};
}

Json identify(const CompilerChoice& choice) {
  if (choice.hiprtc) return Json::Object{{"hiprtc", identify_file(choice.hiprtc->path())}};
  Json::Array files = {identify_compiler(choice.clang->program), identify_file(choice.clang->linker)};
  if (!choice.clang->device_library.empty()) files.push_back(identify_file(choice.clang->device_library + "/ocml.bc"));
  return Json::Object{{"clang", std::move(files)}};
}

Result<Compiled> compile(const CompilerChoice& choice, const SourceUnit& unit, const Settings& settings,
                         const BuildOptions& options, std::string_view arch, const std::vector<std::string>& names) {
  if (choice.hiprtc) return compile_with_hiprtc(*choice.hiprtc, unit, settings, options, arch, names);
  return compile_with_clang(*choice.clang, unit, settings, options, arch, names);
}

}  // namespace kmux::hip

#include "builder.h"

#include "kmux/json.h"
#include "kmux/plugin/dependencies.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/start_thread.h"

#include "dialect.h"
#include "dsl_compiler.h"
#include "entries.h"
#include "nvidia/launch_check.h"
#include "nvidia/library/launcher_compiler.h"
#include "nvidia/library/library_adapter.h"
#include "options.h"
#include "python.h"
#include "toolchain.h"

namespace kmux::cutedsl {
namespace {

constexpr const char* kName = "backend cutedsl";

std::string meta_of(const BuildRequest& request, const Entries& entries, const DslCompiler::Output& code) {
  return dump(Json::Object{{"target", to_string(request.target)},
                           {"kernels", json_list(entries.plan.kernels)},
                           {"symbols", json_list(code.symbols)},
                           {"versions", code.versions}});
}

}  // namespace

Result<std::string> CuteDslBuilder::toolchain(const Target&, const Options& options) {
  KMUX_ASSIGN(const BuildOptions parsed, parse_options(options, host_));
  KMUX_ASSIGN(Json programs, identify_toolchain(host_, parsed));
  return dump(Json::Object{{"programs", std::move(programs)}, {"options", to_json(parsed)}});
}

Result<Artifact> CuteDslBuilder::build(const BuildRequest& request, std::string_view launcher) {
  KMUX_ASSIGN(const BuildOptions options, parse_options(request.options, host_));
  KMUX_ASSIGN(const Entries entries, make_entries(request.program, request.variant));
  KMUX_TRY(nvidia::check_extents(entries.plan));
  KMUX_ASSIGN(const Python python, find_python(host_));
  KMUX_ASSIGN(const std::string host_compiler, find_host_compiler(options.host_compiler, kName));
  KMUX_ASSIGN(const nvidia::Compilation compilation, nvidia::Compilation::begin(host_, "cutedsl"));
  const nvidia::LauncherCompiler launcher_compiler(compilation, host_compiler);
  SideWork<Status> translated([&] { return launcher_compiler.translate(launcher); });
  auto code = DslCompiler(host_, python, &server_).compile(compilation.folder(), request, options, entries);
  const Status launcher_status = translated.get();
  if (!code) return std::move(code).error();
  KMUX_TRY(launcher_status);
  if (!code->log.empty()) host_.log(Host::Level::kDebug, code->log);
  KMUX_TRY(nvidia::check_launches(entries.plan, code->symbols, code->cubin, argument_sizes(entries)));
  KMUX_ASSIGN(std::string library, launcher_compiler.link(code->cubin, entries.plan.kernels, code->symbols));
  Artifact artifact;
  artifact.set(nvidia::kMetaPart, meta_of(request, entries, *code));
  artifact.set(nvidia::kCodePart, std::move(code->cubin));
  artifact.set(nvidia::kLibraryPart, std::move(library));
  artifact.set(std::string(kDependenciesPart), to_json(Dependencies{std::move(code->imported)}));
  return artifact;
}

}  // namespace kmux::cutedsl

#include "builder.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "kmux/json.h"
#include "kmux/plugin/dependencies.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/start_thread.h"

#include "dialect.h"
#include "dsl_compiler.h"
#include "entries.h"
#include "nvidia/cubin.h"
#include "nvidia/launch_check.h"
#include "nvidia/library/adapter.h"
#include "nvidia/library/launcher_compiler.h"
#include "nvidia/library/launcher_text.h"
#include "nvidia/target.h"
#include "options.h"
#include "python_server.h"

namespace kmux::cutedsl {
namespace {

constexpr const char* kName = "backend cutedsl";
constexpr int kFirstWithClusters = 90;

std::string meta_of(const BuildRequest& request, const Entries& entries, const DslCompiler::Output& code) {
  return dump(Json::Object{{"target", to_string(request.target)},
                           {"kernels", json_list(entries.plan.kernels)},
                           {"symbols", json_list(code.symbols)},
                           {"versions", code.versions}});
}

// Returns the files that are assembled and linked into a launcher with host functions.
Result<Artifact> host_parts(const BuildRequest& request, HostCode& host) {
  Artifact parts;
  if (host.object.empty()) return parts;
  KMUX_ASSIGN(const nvidia::Arch arch, nvidia::arch_of(request.target));
  KMUX_ASSIGN(std::string table, nvidia::more_kernels(host.kernels, arch.number >= kFirstWithClusters));
  parts.set(nvidia::kMoreKernelsFile, table.append(host.table));
  parts.set(kHostObject, std::move(host.object));
  return parts;
}

// Numbers all entries of a function that is compiled more than once, since the program's launches do not tell them
// apart. Kernels of host functions, which the program does not name, are listed by symbol.
Status set_attributes(Artifact& artifact, const Entries& entries, const DslCompiler::Output& code) {
  const std::vector<std::string>& compiled = entries.plan.kernels;
  std::vector<std::string> kernels = compiled;
  for (std::string& kernel : kernels) {
    if (std::ranges::find(compiled, kernel + " (2)") != compiled.end()) kernel += " (1)";
  }
  std::vector<std::string> symbols = code.symbols;
  for (auto* list : {&kernels, &symbols}) list->insert(list->end(), code.host.kernels.begin(), code.host.kernels.end());
  return nvidia::set_kernel_attributes(artifact, kernels, symbols, code.cubin, /*is_ptx=*/false);
}

namespace fs = std::filesystem;

Result<Json> identify_now(const Host& host, const BuildOptions& options) {
  KMUX_ASSIGN(const Python python, find_python(host));
  KMUX_ASSIGN(const std::string compiler, find_host_compiler(options.host_compiler, "backend cutedsl"));
  return Json(Json::Object{{"python", identify(python)}, {"host_compiler", identify_compiler(compiler)}});
}

std::optional<fs::path> kept_file(const Host& host) {
  const auto folder = host.option("kmux.cache_dir");
  if (!folder || folder->empty()) return std::nullopt;
  return fs::path(*folder) / "cutedsl" / "toolchain.json";
}

std::optional<Json> read_kept(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return std::nullopt;
  auto json = parse_json(*text);
  return json ? std::optional(*std::move(json)) : std::nullopt;
}

// Ignores failures: a cache that is not writable has no artifacts to find later.
void keep(const fs::path& file, const Json& programs) {
  if (read_kept(file) == programs) return;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  static_cast<void>(write_file(file, dump(programs)));
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
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  KMUX_TRY(nvidia::check_extents(plan));
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
  KMUX_ASSIGN(Artifact host, host_parts(request, code->host));
  KMUX_ASSIGN(std::string library,
              launcher_compiler.link(code->cubin, entries.plan.kernels, code->symbols, host.parts));
  Artifact artifact = std::move(host);
  KMUX_TRY(set_attributes(artifact, entries, *code));
  artifact.set(nvidia::kMetaPart, meta_of(request, entries, *code));
  artifact.set(nvidia::kCodePart, std::move(code->cubin));
  artifact.set(nvidia::kLibraryPart, std::move(library));
  artifact.set(std::string(kDependenciesPart), to_json(Dependencies{std::move(code->imported)}));
  return artifact;
}

Result<Json> identify_toolchain(const Host& host, const BuildOptions& options) {
  auto now = identify_now(host, options);
  const auto file = kept_file(host);
  if (!file) return now;
  if (now) {
    keep(*file, *now);
    return now;
  }
  auto kept = read_kept(*file);
  if (!kept) return now;
  host.log(Host::Level::kDebug, "using what was built before: " + now.error().message);
  return *std::move(kept);
}

bool has_kept_toolchain(const Host& host) {
  const auto file = kept_file(host);
  return file && read_kept(*file);
}

}  // namespace kmux::cutedsl

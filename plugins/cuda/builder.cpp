#include "builder.h"

#include <algorithm>
#include <iterator>

#include "kmux/json.h"
#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/start_thread.h"

#include "device_compiler.h"
#include "nvidia/cubin.h"
#include "nvidia/launch_check.h"
#include "nvidia/library/launcher_compiler.h"
#include "nvidia/ptx.h"
#include "nvidia/target.h"
#include "nvidia/toolkit.h"

namespace kmux::cuda {
namespace {

constexpr const char* kName = "backend cuda";

// What was read besides what a scan could foresee: the headers of the C++ compiler.
void add(Dependencies& dependencies, const std::vector<std::string>& files) {
  std::vector<std::string> all;
  std::ranges::set_union(dependencies.files, files, std::back_inserter(all));
  dependencies.files = std::move(all);
}

// Code that came ready can be wrong before a compiler is started.
Status check_ready(const BuildRequest& request, const Plan& plan) {
  if (request.chosen().dialect == "cuda") return Ok{};
  KMUX_ASSIGN(const nvidia::Arch target, nvidia::arch_of(request.target));
  KMUX_TRY(nvidia::check_ready_code(request.chosen(), target, plan));
  return Ok{};
}

std::string meta_of(const BuildRequest& request, const nvidia::BuildOptions& options,
                    const std::vector<std::string>& kernels, const std::vector<std::string>& symbols) {
  return dump(Json::Object{{"target", to_string(request.target)},
                           {"arguments", json_list(device_arguments(request, options))},
                           {"kernels", json_list(kernels)},
                           {"symbols", json_list(symbols)}});
}

}  // namespace

Result<std::string> CudaBuilder::toolchain(const Target&, const Options& options) {
  KMUX_ASSIGN(const nvidia::BuildOptions parsed, nvidia::parse_options(options, host_, "cuda"));
  KMUX_ASSIGN(const Nvcc nvcc, find_nvcc(host_));
  KMUX_ASSIGN(const std::string host_compiler, find_host_compiler(parsed.host_compiler, kName));
  KMUX_ASSIGN(const Json all, parse_json(nvidia::to_json(parsed)));
  return dump(
      Json::Object{{"nvcc", identify(nvcc)}, {"host_compiler", identify_compiler(host_compiler)}, {"options", all}});
}

std::optional<Dependencies> CudaBuilder::dependencies(const BuildRequest& request, const nvidia::BuildOptions& options,
                                                      const Nvcc& nvcc) {
  if (request.chosen().dialect != "cuda") return std::nullopt;
  HeaderSearch search;
  search.folders = options.include_dirs;
  for (const std::string& folder : nvidia::toolkit_includes(nvcc.home)) search.folders.push_back(folder);
  search.compile_flags = options.compile_flags;
  search.implicit = {"cuda_runtime.h"};  // nvcc's own first line
  return headers_.scan(request.chosen(), search);
}

Result<Artifact> CudaBuilder::build(const BuildRequest& request, std::string_view launcher) {
  KMUX_ASSIGN(const nvidia::BuildOptions options, nvidia::parse_options(request.options, host_, "cuda"));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  KMUX_TRY(nvidia::check_extents(plan));
  KMUX_ASSIGN(const Nvcc nvcc, find_nvcc(host_));
  KMUX_ASSIGN(const std::string host_compiler, find_host_compiler(options.host_compiler, kName));
  std::call_once(warned_, [&] { warn_of_unused_flags(host_); });
  auto headers = dependencies(request, options, nvcc);  // before the compiler reads them
  KMUX_TRY(check_ready(request, plan));
  KMUX_ASSIGN(const nvidia::Compilation compilation, nvidia::Compilation::begin(host_, "cuda"));
  const nvidia::LauncherCompiler launcher_compiler(compilation, host_compiler);
  SideWork<Status> translated([&] { return launcher_compiler.translate(launcher); });
  auto code = DeviceCompiler(nvcc, host_compiler).compile(compilation, request, options, plan.kernels);
  const Status launcher_status = translated.get();
  if (!code) return with_include_hint(std::move(code).error(), request.chosen().settings);
  KMUX_TRY(launcher_status);
  const auto level = code->is_about_program ? Host::Level::kWarning : Host::Level::kDebug;
  if (!code->log.empty()) host_.log(level, code->log);
  KMUX_ASSIGN(const auto symbols, nvidia::find_kernels(plan.kernels, code->cubin));
  KMUX_TRY(nvidia::check_launches(plan, symbols, code->cubin));
  KMUX_ASSIGN(std::string library, launcher_compiler.link(code->cubin, plan.kernels, symbols));
  Artifact artifact;
  artifact.set(nvidia::kCodePart, std::move(code->cubin));
  artifact.set(nvidia::kLibraryPart, std::move(library));
  artifact.set(nvidia::kLauncherPart, std::string(launcher));
  artifact.set(nvidia::kMetaPart, meta_of(request, options, plan.kernels, symbols));
  if (headers) add(*headers, code->headers);
  artifact.set(std::string(kDependenciesPart), to_json(headers.value_or(Dependencies{})));
  return artifact;
}

}  // namespace kmux::cuda

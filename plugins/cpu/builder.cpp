#include "builder.h"

#include <algorithm>
#include <span>

#include "kmux/plugin/compile_log.h"

#include "engine/host_cpu.h"
#include "engine/native_target.h"
#include "host_compiler.h"
#include "identity.h"
#include "meta.h"
#include "wrapper.h"

namespace kmux::cpu {
namespace {

Status check_march(const BuildOptions& options) {
  if (options.engine == Engine::kHost || options.march == "native" || find_cpu(options.march)) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, R"(option "march" cannot be ")" + options.march +
                                                     "\" (LLVM does not know that processor). Use \"native\" or a name "
                                                     "like \"x86-64-v3\".");
}

Meta meta_of(const CompileJob& job, const BuildOptions& options) {
  Meta meta;
  meta.engine = options.engine == Engine::kHost ? "host" : "clang";
  meta.entry = job.entry;
  meta.triple = host_triple();
  meta.cpu = job.cpu;
  meta.tier = name_of(options.tier);
  meta.flags = options.compile_flags;
  return meta;
}

}  // namespace

Result<std::string> CpuBuilder::toolchain(const Target& target, const Options& options) {
  KMUX_ASSIGN(const BuildOptions parsed, parse_options(options, host_));
  return toolchain_identity(target, parsed);
}

Result<std::optional<Dependencies>> CpuBuilder::dependencies(const CompileJob& job, const BuildOptions& options) {
  return headers_.scan(job, [&](Language language) {
    return options.engine == Engine::kHost ? host_folders_.find(options, language)
                                           : compiler_.system_folders(job, language);
  });
}

Result<Artifact> CpuBuilder::build(const BuildRequest& request, std::string_view launcher) {
  KMUX_ASSIGN(const BuildOptions options, parse_options(request.options, host_));
  KMUX_TRY(check_march(options));
  KMUX_ASSIGN(CompileJob job, make_job(request, options, launcher));
  KMUX_ASSIGN(const auto headers, dependencies(job, options));  // before the compiler reads them
  if (headers && options.engine == Engine::kClang) job.header_stamp = stamp_of(*headers);
  const bool ready = request.chosen().dialect == "object";
  const auto objects = ready ? std::span(request.chosen().sources) : std::span<const File>();
  auto compiled = options.engine == Engine::kHost ? compile_on_host(job, options, objects) : compiler_.compile(job);
  if (!compiled) return with_include_hint(std::move(compiled).error(), request.chosen().settings);
  if (!compiled->log.empty()) host_.log(Host::Level::kWarning, compiled->log);

  if (compiled->preambles > 0) host_.log(Host::Level::kDebug, "the headers had been compiled in advance");
  Meta meta = meta_of(job, options);
  meta.features = compiled->features;
  meta.compiler = compiled->compiler;
  Artifact artifact;
  artifact.set(kCodePart, std::move(compiled->object));
  artifact.set(kLauncherPart, std::string(launcher));
  artifact.set(kMetaPart, dump_meta(meta));
  artifact.set(std::string(kDependenciesPart), to_json(headers.value_or(Dependencies{})));
  for (std::size_t i = 0; options.engine == Engine::kClang && i < objects.size(); ++i) {
    artifact.set(kObjectPart + std::to_string(i), objects[i].content);
  }
  return artifact;
}

Result<Artifact> CpuBuilder::standalone(const BuildRequest& request, const Artifact& built) {
  KMUX_ASSIGN(const BuildOptions options, parse_options(request.options, host_));
  const std::string* const launcher = built.find(kLauncherPart);
  const std::string* const text = built.find(kMetaPart);
  if (launcher == nullptr || text == nullptr || built.find(kCodePart) == nullptr) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the artifact lacks a part (backend cpu did not make it whole). Build it again.");
  }
  KMUX_ASSIGN(const Meta meta, parse_meta(*text));
  KMUX_ASSIGN(const CompileJob job, make_job(request, options, *launcher));
  const bool all_c = !job.units.empty() &&
                     std::ranges::all_of(job.units, [](const Unit& unit) { return unit.language == Language::kC; });
  if (meta.engine != "host") return standalone_parts(built, meta, !all_c);
  const auto objects = job.units.empty() ? std::span(request.chosen().sources) : std::span<const File>();
  KMUX_ASSIGN(CompiledObject compiled, compile_on_host(job, options, objects, HostForm::kObject));
  Artifact relocatable;
  relocatable.set(kCodePart, std::move(compiled.object));
  return standalone_parts(relocatable, meta, !all_c);
}

}  // namespace kmux::cpu

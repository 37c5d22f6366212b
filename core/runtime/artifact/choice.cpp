#include "choice.h"

#include <algorithm>
#include <utility>

#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "isolation/code_trial.h"
#include "isolation/isolated_plugins.h"
#include "tier_build.h"

namespace kmux {

Result<Choice> choose(Runtime& runtime, const Program& program, const CompileOptions& options,
                      const std::string& backend, std::size_t variant, Target target) {
  KMUX_ASSIGN(const IsolationSettings isolation,
              isolation_of(options.isolation, options.compile_timeout_s, runtime.environment()));
  const bool isolated = runs_isolated(runtime, backend, isolation);
  KMUX_ASSIGN(Shared<Plugin> plugin, plugin_for(runtime, backend, isolation));
  KMUX_ASSIGN(std::shared_ptr<const CodeTrial> trial, code_trial(runtime, backend, isolation));
  KMUX_ASSIGN(Options for_compiler, compiler_options(options));
  // A backend that launches from this machine only was chosen because target_host means this machine: the option is
  // redundant.
  if (plugin->manifest().target_hosts.empty() && !options.target_host.empty()) for_compiler.erase("target_host");
  Backend* const own = &plugin->backend();
  Options settings = settings_of(plugin->manifest(), runtime.registry().plugin_options());
  return Choice{std::move(plugin),   own,      {program, variant, std::move(target), std::move(for_compiler)},
                std::move(settings), isolated, std::move(trial)};
}

BuildRequest request_in_tier(const Choice& choice, const std::string& tier) {
  BuildRequest request = choice.request;
  if (!tier.empty()) request.options[kTierOption] = tier;
  return request;
}

Options settings_of(const Manifest& manifest, const Options& options) {
  Options settings;
  const std::string prefix = manifest.name + ".";
  for (const auto& [name, value] : options) {
    const bool is_own = name.starts_with(prefix);
    if (!is_own && !manifest.environment.contains(name)) continue;
    if (std::ranges::find(manifest.unkeyed, name) != manifest.unkeyed.end()) continue;
    settings.emplace(is_own ? name.substr(prefix.size()) : name, value);
  }
  return settings;
}

namespace {

Error invalid(std::string message) { return make_error(ErrorCode::kInvalidArgument, std::move(message)); }

Status add(Options& options, const std::string& name, const std::string& value) {
  if (value.empty() || options.emplace(name, value).second) return Ok{};
  return invalid("option '" + name + "' is given twice (as a field of CompileOptions and in options). Use the field.");
}

Result<std::string> in_lines(const std::string& name, const std::vector<std::string>& elements) {
  std::string lines;
  for (const std::string& element : elements) {
    if (element.find('\n') != std::string::npos) {
      std::string message = name;
      message.append(" has an element with a line break ('").append(element).append("'). Give one element a flag.");
      return invalid(std::move(message));
    }
    lines.append(lines.empty() ? "" : "\n").append(element);
  }
  return lines;
}

}  // namespace

Result<Options> compiler_options(const CompileOptions& options) {
  Options all = options.options;
  KMUX_ASSIGN(const std::string flags, in_lines("compile_flags", options.compile_flags));
  KMUX_ASSIGN(const std::string dirs, in_lines("include_dirs", options.include_dirs));
  KMUX_TRY(add(all, "compile_flags", flags));
  KMUX_TRY(add(all, "include_dirs", dirs));
  KMUX_TRY(add(all, "target_host", options.target_host));
  return all;
}

CompileOptions background_options(const Runtime& runtime, CompileOptions options, const std::string& name) {
  if (options.isolation || runtime.environment().isolation.value_or(std::nullopt)) return options;
  const std::vector<PluginEntry>& entries = runtime.registry().entries();
  const bool cannot_be_left = std::ranges::any_of(entries, [&](const PluginEntry& entry) {
    return entry.manifest.name == name && entry.status.ok() && entry.manifest.background == kBackgroundProcess;
  });
  if (cannot_be_left && find_worker(worker_places()).ok()) options.isolation = Isolation::kProcess;
  return options;
}

}  // namespace kmux

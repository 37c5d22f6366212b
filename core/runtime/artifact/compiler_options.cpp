#include "compiler_options.h"

#include <algorithm>

#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "isolation/worker_program.h"

namespace kmux {
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
  if (!options.isolation.empty() || !runtime.environment().isolation.empty()) return options;
  const std::vector<PluginEntry> entries = runtime.registry().entries();
  const bool cannot_be_left = std::ranges::any_of(entries, [&](const PluginEntry& entry) {
    return entry.manifest.name == name && entry.status.ok() && entry.manifest.background == kBackgroundProcess;
  });
  if (cannot_be_left && find_worker(worker_places()).ok()) options.isolation = "process";
  return options;
}

}  // namespace kmux

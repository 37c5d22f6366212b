#include "builder.h"

#include "kmux/plugin/dependencies.h"
#include "kmux/plugin/plan.h"

#include "wrapper.h"

namespace kmux::null {
namespace {

std::string sources_of(const Variant& variant) {
  std::string text;
  for (const File& file : variant.sources) text += file.content;
  return text;
}

Error missing_kernel(const std::string& kernel, std::size_t files) {
  return make_error(ErrorCode::kCompileFailed, "kernel \"" + kernel + "\" is not in the sources (" +
                                                   std::to_string(files) +
                                                   " files were searched for its name). Add it, or correct the launch.")
      .with("log", "undefined kernel: " + kernel);
}

}  // namespace

Result<std::string> NullBuilder::toolchain(const Target&, const Options& options) {
  KMUX_TRY(check_options(options, backend_));
  return backend_ + " 1";
}

Result<Artifact> NullBuilder::build(const BuildRequest& request, std::string_view launcher) {
  KMUX_TRY(check_options(request.options, backend_));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  const std::string code = sources_of(request.chosen());
  for (const std::string& kernel : plan.kernels) {
    if (code.find(kernel) == std::string::npos) return missing_kernel(kernel, request.chosen().sources.size());
  }
  Artifact artifact;
  artifact.set("code", code);
  artifact.set("launcher", std::string(launcher));
  artifact.set("meta.json", dump(Json::Object{{"slots", std::int64_t(plan.slots.size())}}));
  artifact.set(std::string(kDependenciesPart), to_json(Dependencies{}));  // it reads only the program's files
  return artifact;
}

}  // namespace kmux::null

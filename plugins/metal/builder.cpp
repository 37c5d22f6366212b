#include "builder.h"

#include "kmux/plugin/characters.h"
#include "kmux/plugin/dependencies.h"
#include "kmux/plugin/plan.h"

#include "bindings.h"
#include "library.h"
#include "meta.h"
#include "wrapper.h"

namespace kmux::metal {
namespace {

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_name_character(text[at - 1])) && (end == text.size() || !is_name_character(text[end])))
      return true;
  }
  return false;
}

// Removes comments; the language has no string literals. Comments may name kernels, for example in a source that
// carries its program.
std::string without_comments(std::string_view text) {
  std::string code;
  while (!text.empty()) {
    const bool is_line = text.starts_with("//");
    if (!is_line && !text.starts_with("/*")) {
      code += text.front();
      text.remove_prefix(1);
      continue;
    }
    const std::size_t end = text.find(is_line ? "\n" : "*/", 2);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + (is_line ? 0 : 2));
  }
  return code;
}

// Checks without a compiler that the text contains each kernel's name, unless the source pastes names together.
Status check_kernels(const Variant& variant, const std::vector<std::string>& kernels) {
  std::string text;
  for (const auto* files : {&variant.sources, &variant.headers}) {
    for (const File& file : *files) text += without_comments(file.content) + "\n";
  }
  if (text.find("##") != std::string::npos) return Ok{};
  for (const std::string& kernel : kernels) {
    if (has_word(text, kernel)) continue;
    return make_error(ErrorCode::kCompileFailed,
                      "kernel \"" + kernel + "\" is not in the sources. Add it, or correct the launch.")
        .with("log", "undefined kernel: " + kernel);
  }
  return Ok{};
}

// Source: the first bytes of a Metal library.
Status check_library(const File& source) {
  if (source.content.starts_with("MTLB")) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "source \"" + source.path +
                                                     "\" is not a Metal library (it does not begin with MTLB). Make it "
                                                     "with `xcrun metallib`, or give MSL as dialect msl.");
}

}  // namespace

Result<std::string> MetalBuilder::toolchain(const Target&, const Options& options) {
  KMUX_ASSIGN(const BuildOptions parsed, parse_options(options, host_));
  return to_json(parsed);
}

Result<Artifact> MetalBuilder::build(const BuildRequest& request, std::string_view launcher) {
  const Variant& variant = request.chosen();
  Meta meta{variant.dialect == "metallib", {}};
  KMUX_ASSIGN(meta.options, parse_options(request.options, host_));
  meta.options.fast_math = meta.options.fast_math || variant.settings.fast_math;
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  KMUX_TRY(bindings_of(plan));
  std::string code;
  if (meta.is_library) {
    KMUX_TRY(check_library(variant.sources.front()));
    code = variant.sources.front().content;
  } else {
    code = source_text(variant);
    KMUX_TRY(check_kernels(variant, plan.kernels));
  }
  if (const auto gpu = open_()) KMUX_TRY(load_kernels(**gpu, {code, meta.is_library, meta.options}, plan.kernels));
  Artifact artifact;
  artifact.set(kCodePart, std::move(code));
  artifact.set(kLauncherPart, std::string(launcher));
  artifact.set(kPlanPart, plan_part(request.program, request.variant));
  artifact.set(kMetaPart, dump_meta(meta));
  artifact.set(std::string(kDependenciesPart), to_json(Dependencies{}));  // only Metal's own headers
  return artifact;
}

}  // namespace kmux::metal

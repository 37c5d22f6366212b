#include "standalone.h"

#include <algorithm>
#include <array>

#include "kmux/json.h"
#include "kmux/plugin/emit.h"

namespace kmux {

extern const std::string_view cpu_standalone_text;  // printed

namespace cpu {
namespace {

// Features that every compiler's `__builtin_cpu_supports` knows by LLVM's name.
constexpr std::array kAsked =
    std::to_array<std::string_view>({"avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi",
                                     "bmi2", "fma", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"});

void print_lacks(CodeWriter& out, const Meta& meta) {
  out.open("static const char* kmux_cpu_lacks() {").line("#ifdef __x86_64__");
  for (const std::string& feature : meta.features) {
    if (std::ranges::find(kAsked, feature) == kAsked.end()) continue;
    out.line("if (!__builtin_cpu_supports(" + quote_c(feature) + ")) return " + quote_c(feature) + ";");
  }
  out.line("#endif").line("return nullptr;").close();
}

}  // namespace

Artifact standalone_parts(const Artifact& artifact, const Meta& meta, bool kernels_may_throw) {
  CodeWriter lacks;
  print_lacks(lacks, meta);
  const std::string may_throw = kernels_may_throw ? "#define KMUX_KERNELS_MAY_THROW\n" : "";
  Artifact parts;
  parts.set("launcher.cpp",
            launcher_prelude_for("") + may_throw + std::string(cpu_standalone_text) + "\n" + lacks.text());
  for (const Artifact::Part& part : artifact.parts) {
    if (part.name == kCodePart || part.name.starts_with(kObjectPart)) parts.set(part.name + ".o", part.content);
  }
  parts.set("link.json", dump(Json::Object{{"device_type", kDLCPU}, {"libraries", Json::Array{}}}));
  return parts;
}

}  // namespace cpu
}  // namespace kmux

#include "wrapper.h"

#include <string_view>

#include "kmux/dlpack.h"
#include "kmux/json.h"
#include "kmux/plugin/driver_dialect.h"
#include "kmux/plugin/emit.h"
#include "kmux/plugin/plan.h"

#include "adapter.h"
#include "options.h"

namespace kmux {

extern const std::string_view hip_launch_text;   // plugins/hip/launch
extern const std::string_view hip_printed_text;  // plugins/hip/printed

}  // namespace kmux

namespace kmux::hip {
namespace {

// Returns the kernels by name only: the code with their other facts is not compiled yet.
std::vector<KernelMeta> kernels_as_named(const Plan& plan) {
  std::vector<KernelMeta> kernels;
  kernels.reserve(plan.kernels.size());
  for (const std::string& name : plan.kernels) kernels.push_back({name});
  return kernels;
}

}  // namespace

Result<std::string> HipWrapper::wrap(const BuildRequest& request) {
  KMUX_ASSIGN(const BuildOptions options, parse_options(request.options, host_));
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  return launcher_text(plan, Facts(plan, kernels_as_named(plan), {.graph = options.graph}).view());
}

namespace {

constexpr std::string_view kStreamType =
    "\n// HIP's own name for it.\nextern \"C\" {\ntypedef struct ihipStream_t* hipStream_t;\n}\n";

constexpr std::string_view kLayerTitle = "the launch layer and the entry points";

// Emits {symbol, dynamic_smem_bytes, static_smem_bytes, max_threads} of each kernel.
void emit_kernels(CodeWriter& out, const PlanFacts& facts) {
  out.open("static const KernelFacts program_kernels[] = {");
  for (unsigned i = 0; i < facts.kernel_count; ++i) {
    const KernelFacts& kernel = facts.kernels[i];
    out.line("{" + quote_c(kernel.name) + ", " + std::to_string(kernel.dynamic_smem_bytes) + ", " +
             std::to_string(kernel.static_smem_bytes) + ", " + std::to_string(kernel.max_threads) + "},");
  }
  out.close("};");
}

// Emits {sizes, count} of each step.
void emit_steps(CodeWriter& out, const PlanFacts& facts) {
  for (unsigned i = 0; i < facts.step_count; ++i) {
    std::string sizes;
    for (unsigned j = 0; j < facts.steps[i].count; ++j)
      sizes.append(std::to_string(facts.steps[i].sizes[j])).append(", ");
    out.line("static const unsigned program_sizes_" + std::to_string(i) + "[] = {" + sizes + "0};");
  }
  out.open("static const StepFacts program_steps[] = {");
  for (unsigned i = 0; i < facts.step_count; ++i) {
    out.line("{program_sizes_" + std::to_string(i) + ", " + std::to_string(facts.steps[i].count) + "},");
  }
  out.close("};");
}

void emit_facts(CodeWriter& out, const PlanFacts& facts) {
  out.line().line(std::string("// What the launch layer needs of ") + quote_c(facts.name) + ", and its code.");
  out.line("namespace kmux::hip {");
  const bool any = facts.kernel_count > 0;
  if (any) emit_kernels(out, facts);
  if (facts.replay) emit_steps(out, facts);
  out.line("extern const PlanFacts program_facts = {" + quote_c(facts.name) + ", " +
           (any ? "program_kernels" : "nullptr") + ", " + std::to_string(facts.kernel_count) +
           (facts.replay ? ", false, true, program_steps, " + std::to_string(facts.step_count) : "") + "};");
  out.line("}  // namespace kmux::hip");
}

// Emits the read-only code, aligned to a page, as loaders of code objects prefer.
void emit_code(CodeWriter& out) {
  out.open("asm(").line(quote_c(".pushsection .rodata.kmux, \"a\", %progbits\n.balign 4096\n"));
  out.line(quote_c(".global kmux_hip_code\n.hidden kmux_hip_code\nkmux_hip_code: .incbin \"" + std::string(kCodeFile) +
                   "\"\n"));
  out.line(quote_c(".popsection\n")).close(");");
}

}  // namespace

std::string launcher_text(const Plan& plan, const PlanFacts& facts) {
  DriverDialect dialect;
  CodeWriter call;
  emit_exported_call(call, plan, "hipStream_t");
  CodeWriter end;
  emit_facts(end, facts);
  emit_code(end);
  std::string text = emit_launcher(plan, dialect, "kmux_launch_body");
  text.append(kStreamType).append(call.text()).append("\n");
  return text.append(shared_text(kLayerTitle, std::string(hip_launch_text).append(hip_printed_text)))
      .append(end.text());
}

Result<Artifact> standalone_of(const Artifact& built) {
  KMUX_ASSIGN(LoadedParts parts, read_parts(built));
  const Facts facts(parts.plan, std::move(parts.kernels), {.graph = parts.graph});
  Artifact unit;
  unit.set("launcher.cpp", launcher_text(parts.plan, facts.view()));
  unit.set(kCodeFile, std::move(parts.code));
  unit.set("link.json", dump(Json::Object{{"device_type", int{kDLROCM}}, {"libraries", Json::Array{"dl"}}}));
  return unit;
}

}  // namespace kmux::hip

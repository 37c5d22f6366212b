#include "launcher_text.h"

#include <string_view>

#include "kmux/plugin/driver_dialect.h"
#include "kmux/plugin/emit.h"
#include "kmux/plugin/exported_call.h"
#include "kmux/plugin/shared_text.h"

namespace kmux {

extern const std::string_view hip_launch_text;   // plugins/hip/launch
extern const std::string_view hip_printed_text;  // plugins/hip/printed

namespace hip {
namespace {

constexpr std::string_view kStreamType =
    "\n// HIP's own name for it.\nextern \"C\" {\ntypedef struct ihipStream_t* hipStream_t;\n}\n";

constexpr std::string_view kLayerTitle = "the launch layer and the entry points";

// {symbol, dynamic_smem_bytes, static_smem_bytes, max_threads}
void emit_kernels(CodeWriter& out, const PlanFacts& facts) {
  out.open("static const KernelFacts program_kernels[] = {");
  for (unsigned i = 0; i < facts.kernel_count; ++i) {
    const KernelFacts& kernel = facts.kernels[i];
    out.line("{" + quote_c(kernel.name) + ", " + std::to_string(kernel.dynamic_smem_bytes) + ", " +
             std::to_string(kernel.static_smem_bytes) + ", " + std::to_string(kernel.max_threads) + "},");
  }
  out.close("};");
}

void emit_facts(CodeWriter& out, const PlanFacts& facts) {
  out.line().line(std::string("// What the launch layer must know of ") + quote_c(facts.name) + ", and its code.");
  out.line("namespace kmux::hip {");
  const bool any = facts.kernel_count > 0;
  if (any) emit_kernels(out, facts);
  out.line("extern const PlanFacts program_facts = {" + quote_c(facts.name) + ", " +
           (any ? "program_kernels" : "nullptr") + ", " + std::to_string(facts.kernel_count) + "};");
  out.line("}  // namespace kmux::hip");
}

// Read-only, on a page of its own, as loaders of code objects like it.
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

}  // namespace hip
}  // namespace kmux

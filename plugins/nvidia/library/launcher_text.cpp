#include "launcher_text.h"

#include "kmux/dlpack.h"
#include "kmux/json.h"
#include "kmux/plugin/driver_dialect.h"
#include "kmux/plugin/meta_reader.h"

#include "adapter.h"

namespace kmux {

extern const std::string_view nvidia_launch_text;   // plugins/nvidia/launch
extern const std::string_view nvidia_printed_text;  // printed

namespace nvidia {
namespace {

constexpr std::string_view kLayerTitle = "the launch layer and the entry points";

std::string symbol_name(std::size_t kernel) { return "kmux_symbol_" + std::to_string(kernel); }

// Emits an assembler label and the bytes of a file.
void emit_file(CodeWriter& out, const std::string& name, const std::string& file) {
  out.line(quote_c(".global " + name + "\n.hidden " + name + "\n" + name + ": .incbin \"" + file + "\"\n"));
}

// Emits the read-only files; the code has the alignment of the driver's own tools.
void emit_files(CodeWriter& out, const Plan& plan) {
  out.open("asm(").line(quote_c(".pushsection .rodata.kmux, \"a\", %progbits\n.balign 64\n"));
  emit_file(out, "kmux_cubin", kCodeFile);
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    emit_file(out, symbol_name(i), symbol_file(i));
    out.line(quote_c(".byte 0\n"));
  }
  out.line(quote_c(".popsection\n")).close(");");
}

void emit_symbols(CodeWriter& out, const Plan& plan) {
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    out.line("extern \"C\" const char " + symbol_name(i) + "[];  // of " + quote_c(plan.kernels[i]));
  }
}

const char* text_of(bool value) { return value ? "true" : "false"; }

// Makes the launch call the launcher directly, without a `kmux_driver` between them.
constexpr std::string_view kLaunchesOnce = "#define KMUX_LAUNCHES_ONCE\n\n";
constexpr std::string_view kInlined = "inline __attribute__((always_inline)) ";

// Returns true if a call is exactly one launch.
bool launches_once(const Plan& plan) {
  return plan.workspaces.empty() && plan.maps.empty() && plan.steps.size() == 1 &&
         std::holds_alternative<PlanLaunch>(plan.steps[0]);
}

constexpr std::string_view kTable = "kmux_kernel_table";
constexpr std::string_view kMoreCount = "kmux_more_kernels";

std::string global(std::string_view name) {
  return ".global " + std::string(name) + "\n.hidden " + std::string(name) + "\n" + std::string(name) + ":\n";
}

// Returns an entry with the memory layout of KernelFacts.
std::string table_entry(const std::string& symbol, unsigned long long smem_bytes, bool large_cluster) {
  return ".quad " + symbol + ", " + std::to_string(smem_bytes) + ", " + (large_cluster ? "1" : "0") + "\n";
}

// Emits a table whose last entries are in a file that the assembler includes.
void emit_open_table(CodeWriter& out, const PlanFacts& facts) {
  out.line("static_assert(sizeof(KernelFacts) == 24);");
  out.open("asm(").line(quote_c(".pushsection .data.rel.ro.kmux, \"aw\", %progbits\n.balign 8\n" + global(kTable)));
  for (unsigned i = 0; i < facts.kernel_count; ++i) {
    out.line(quote_c(table_entry(symbol_name(i), facts.kernels[i].dynamic_smem_bytes, facts.kernels[i].large_cluster)));
  }
  out.line(quote_c(".include \"" + std::string(kMoreKernelsFile) + "\"\n.popsection\n")).close(");");
  out.line("extern \"C\" const KernelFacts " + std::string(kTable) + "[];");
  out.line("extern \"C\" const unsigned " + std::string(kMoreCount) + "[];");
}

// Emits {symbol, dynamic_smem_bytes, large_cluster} of each kernel.
void emit_kernels(CodeWriter& out, const PlanFacts& facts) {
  out.open("static const KernelFacts program_kernels[] = {");
  for (unsigned i = 0; i < facts.kernel_count; ++i) {
    const KernelFacts& kernel = facts.kernels[i];
    out.line("{" + symbol_name(i) + ", " + std::to_string(kernel.dynamic_smem_bytes) + ", " +
             text_of(kernel.large_cluster) + "},");
  }
  out.close("};");
}

// Emits {kernel, count, sizes, spare} of each pack.
void emit_packs(CodeWriter& out, const PlanFacts& facts) {
  for (unsigned i = 0; i < facts.pack_count; ++i) {
    std::string sizes;
    for (unsigned j = 0; j < facts.packs[i].count; ++j)
      sizes.append(std::to_string(facts.packs[i].sizes[j])).append(", ");
    out.line("static const unsigned program_sizes_" + std::to_string(i) + "[] = {" + sizes + "0};");
  }
  out.open("static const PackFacts program_packs[] = {");
  for (unsigned i = 0; i < facts.pack_count; ++i) {
    const PackFacts& pack = facts.packs[i];
    out.line("{" + std::to_string(pack.kernel) + ", " + std::to_string(pack.count) + ", program_sizes_" +
             std::to_string(i) + ", " + text_of(pack.spare) + "},");
  }
  out.close("};");
}

void emit_facts(CodeWriter& out, const Plan& plan, const PlanFacts& facts, const LauncherForm& form) {
  out.line().line("// What the launch layer needs of " + quote_c(plan.name) + ", and its code.");
  emit_symbols(out, plan);
  out.line("namespace kmux::nvidia {");
  const bool more = form.has_more_kernels;
  const bool any = facts.kernel_count > 0 && !more;
  if (any) emit_kernels(out, facts);
  if (more) emit_open_table(out, facts);
  if (facts.pack_count > 0) emit_packs(out, facts);
  out.open("extern const PlanFacts program_facts = {");
  const std::string_view kernels = more ? kTable : any ? "program_kernels" : "nullptr";
  out.line(std::string(kernels) + ", " + std::to_string(facts.kernel_count) + ",");
  out.line(std::to_string(facts.map_count) + ",  // tensor maps");
  out.line(std::to_string(facts.step_count) + ",  // launches and fills");
  out.line(std::to_string(facts.window_bytes) + ",  // bytes of the largest L2 window");
  out.line(std::string(text_of(facts.replay)) + ",  // replay as a graph");
  out.line(quote_c(plan.name) + ",");
  out.line("false,  // ranges for profilers: set by kmux_launcher_open");
  out.line(std::string(text_of(facts.needs_context)) + ",  // workspaces");
  out.line(std::string(text_of(facts.only_launches)) + ",  // nothing but launches");
  out.line(std::string(facts.pack_count > 0 ? "program_packs" : "nullptr") + ", " + std::to_string(facts.pack_count) +
           ",  // what launches pass");
  if (more || facts.shared_carveout >= 0) {
    out.line("false,  // waiting for each launch: set by kmux_launcher_open");
    out.line(std::string(more ? kMoreCount : "nullptr") + ",  // kernels of host functions");
  }
  if (facts.shared_carveout >= 0)
    out.line(std::to_string(facts.shared_carveout) + ",  // percent of the L1 cache as shared memory");
  out.close("};").line("}  // namespace kmux::nvidia");
}

}  // namespace

std::string symbol_file(std::size_t kernel) { return "kmux-symbol-" + std::to_string(kernel) + ".txt"; }

Result<std::string> more_kernels(const std::vector<std::string>& symbols, bool large_clusters) {
  std::string table;
  std::string names = ".section .rodata.kmux, \"a\", %progbits\n.balign 4\n" + global(kMoreCount) + ".long " +
                      std::to_string(symbols.size()) + "\n";
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i].find_first_of("\"\\\n") != std::string::npos) {
      return make_error(ErrorCode::kInvalidArgument,
                        "the code has a kernel \"" + symbols[i] + "\" (no assembler takes that name). Rename it.");
    }
    const std::string label = "kmux_more_symbol_" + std::to_string(i);
    table += table_entry(label, 0, large_clusters);
    names.append(label).append(": .asciz \"").append(symbols[i]).append("\"\n");
  }
  return table + names;
}

std::string launcher_text(const Plan& plan, const LaunchChoices& choices) {
  DriverDialect dialect;
  return launcher_text(plan, choices, LauncherForm{dialect, argument_sizes});
}

std::string launcher_text(const Plan& plan, const LaunchChoices& choices, const LauncherForm& form) {
  const bool once = !form.has_more_kernels && launches_once(plan);
  CodeWriter call;
  emit_exported_call(call, plan);
  CodeWriter end;
  emit_facts(end, plan, Facts(plan, plan.kernels, choices, form.sizes).view(), form);
  emit_files(end, plan);
  std::string text = once ? std::string(kLaunchesOnce) : "";
  text += emit_launcher(plan, form.dialect, "kmux_launch_body", once ? kInlined : "");
  std::string layer(nvidia_launch_text);
  layer.append(nvidia_printed_text).append(form.printed);
  return text.append(call.text()).append("\n").append(shared_text(kLayerTitle, layer)).append(end.text());
}

}  // namespace nvidia

extern const std::string_view nvidia_standalone_text;  // printed

namespace nvidia {
Artifact standalone_parts(const Plan& plan, std::string_view launcher, std::string_view code,
                          const std::vector<std::string>& symbols) {
  Artifact parts;
  parts.set("launcher.cpp", std::string(launcher).append(nvidia_standalone_text));
  parts.set(kCodeFile, std::string(code).append(1, '\0'));  // terminates PTX; harmless behind a cubin
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    parts.set(symbol_file(i), symbols[i]);
  }
  parts.set("link.json", dump(Json::Object{{"device_type", kDLCUDA}, {"libraries", Json::Array{"dl"}}}));
  return parts;
}

Result<Artifact> standalone_parts(const Plan& plan, const Artifact& built, std::string_view backend) {
  KMUX_ASSIGN(const std::string* const code, required_part(built, kCodePart, backend));
  KMUX_ASSIGN(const std::string* const launcher, required_part(built, kLauncherPart, backend));
  KMUX_ASSIGN(const std::string* const meta, required_part(built, kMetaPart, backend));
  KMUX_ASSIGN(const Json facts, parse_json(*meta));
  const Json* const list = facts.find("symbols");
  const Json::Array* const names = list == nullptr ? nullptr : list->as_array();
  if (names == nullptr || names->size() != plan.kernels.size())
    return incomplete_artifact("symbols of its kernels", backend);
  std::vector<std::string> symbols;
  for (const Json& name : *names) {
    if (name.as_string() == nullptr) return incomplete_artifact("symbols of its kernels", backend);
    symbols.push_back(*name.as_string());
  }
  return standalone_parts(plan, *launcher, *code, symbols);
}

}  // namespace nvidia

}  // namespace kmux

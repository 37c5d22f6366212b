#include "engine/pipeline.h"

#include <algorithm>

#include "engine/host_cpu.h"
#include "engine/native_target.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"

namespace kmux::cpu {
namespace {

llvm::OptimizationLevel pass_level(unsigned opt_level) {
  switch (opt_level) {
    case 0:
      return llvm::OptimizationLevel::O0;
    case 1:
      return llvm::OptimizationLevel::O1;
    case 2:
      return llvm::OptimizationLevel::O2;
    default:
      return llvm::OptimizationLevel::O3;
  }
}

// The fast tier: what makes scalars of memory, inlines, and takes work out of loops, each about once. It has neither
// vectoriser nor partial unrolling, whose code LLVM would then spend most of its time on. The coroutine passes are no
// optimisation: without them there is no code.
constexpr llvm::StringRef kFastPasses =
    "coro-cond(coro-early,cgscc(coro-split),coro-cleanup),"
    "function(sroa,early-cse,simplifycfg),inliner-wrapper,globaldce,"
    "function(sroa,early-cse<memssa>,simplifycfg,instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm),loop(loop-unroll-full),"
    "sroa,early-cse,instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg)";

llvm::ModulePassManager passes_of(llvm::PassBuilder& builder, unsigned opt_level, Tier tier) {
  const llvm::OptimizationLevel level = pass_level(opt_level);
  if (opt_level == 0) return builder.buildO0DefaultPipeline(level);
  if (tier == Tier::kFull) return builder.buildPerModuleDefaultPipeline(level);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, kFastPasses));
  return passes;
}

llvm::CodeGenOptLevel code_gen_level(unsigned opt_level, Tier tier) {
  if (tier == Tier::kFast) opt_level = std::min(opt_level, 1U);
  return llvm::CodeGenOpt::getLevel(static_cast<int>(opt_level)).value_or(llvm::CodeGenOptLevel::Aggressive);
}

std::string_view severity_name(llvm::DiagnosticSeverity severity) {
  return severity == llvm::DS_Error ? "error: " : "warning: ";
}

}  // namespace

Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const std::string& cpu, unsigned opt_level,
                                                                 Tier tier) {
  initialize_llvm();
  std::string why;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host_triple(), why);
  if (!target) return make_error(ErrorCode::kInternal, "LLVM has no code generator for this machine (" + why + ").");
  llvm::TargetOptions options;
  options.EmulatedTLS = true;  // native thread-local storage needs the loader of the process
  options.UseInitArray = true;
  if (opt_level >= 3) options.LoopAlignment = 64;  // a line of instructions: a short loop is fetched at once
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      host_triple(), cpu, "", options, llvm::Reloc::PIC_, std::nullopt, code_gen_level(opt_level, tier), /*JIT=*/true));
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine, unsigned opt_level, Tier tier) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = opt_level >= 2;
  tuning.LoopUnrolling = tuning.LoopInterleaving = opt_level >= 2;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  const llvm::TargetLibraryInfoImpl library((llvm::Triple(module.getTargetTriple())));
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  passes_of(builder, opt_level, tier).run(module, modules);
}

Result<std::string> emit_object(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    return make_error(ErrorCode::kInternal, "LLVM cannot write object files for this machine.");
  }
  passes.run(module);
  return std::string(object.begin(), object.end());
}

void capture_messages(llvm::LLVMContext& context, std::string& log) {
  struct Handler final : llvm::DiagnosticHandler {
    explicit Handler(std::string& text) : log(text) {}
    bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
      if (info.getSeverity() > llvm::DS_Warning) return true;  // remarks and notes
      llvm::raw_string_ostream stream(log);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      stream << severity_name(info.getSeverity());
      info.print(printer);
      stream << "\n";
      return true;
    }
    std::string& log;
  };
  context.setDiagnosticHandler(std::make_unique<Handler>(log));
}

}  // namespace kmux::cpu

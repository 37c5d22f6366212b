#include "engine/pipeline.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "kmux/plugin/compile_log.h"

#include "engine/installation.h"
#include "engine/kernel_lookup.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "spmd/divergence.h"
#include "spmd/steps.h"

namespace kmux::cpu {

namespace {

// Sets an option of LLVM's command line, as if it had been given once.
void set_option(llvm::StringRef name, llvm::StringRef value) {
  auto& options = llvm::cl::getRegisteredOptions();
  const auto option = options.find(name);
  if (option != options.end()) option->second->addOccurrence(0, option->first(), value);
}

// Keeps the order of a floating-point sum, but allows the rest of its loop to be vectorised: softmax, 2.5 times as
// fast. LLVM does so by itself only on AArch64. Also vectorises the remainder of a loop if vectors have 8 elements, not
// only 16. That concerns AVX2, and Intel's processors for which LLVM prefers vectors of 256 bits: a third faster for
// rows of 50.
void choose_vectorization() {
  set_option("force-ordered-reductions", "true");
  set_option("epilogue-vectorization-minimum-VF", "8");
}

}  // namespace

void initialize_llvm() {
  [[maybe_unused]] static const bool done = [] {
    choose_vectorization();
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
#if defined(__x86_64__)
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
#endif
    return true;
  }();
}

namespace {

std::string describe(const llvm::FunctionType& type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

Status check_kernel(const llvm::Module& units, const llvm::Module& launcher, const std::string& kernel,
                    const std::vector<unsigned>& records, bool on_grid) {
  const llvm::Function* called = launcher.getFunction(kernel);
  if (!called) return Ok{};  // declared, never launched
  const llvm::Function* defined = units.getFunction(kernel);
  if (!defined || defined->isDeclaration() || defined->hasLocalLinkage()) {
    return no_kernel(units, kernel, on_grid);
  }
  if (defined->getCallingConv() != called->getCallingConv()) {
    return make_error(
        ErrorCode::kInvalidArgument,
        "kernel \"" + kernel + "\" has another calling convention than C functions have here. Remove its attribute.");
  }
  if (can_call(*called, *defined, records)) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "kernel \"" + kernel + "\" has the type " + describe(*defined->getFunctionType()) +
                        " (the dispatch calls it as " + describe(*called->getFunctionType()) +
                        "). Make the launch's arguments and its result match the source.");
}

// Keeps a kernel a function beside the launcher. Inlined, its pointers would be loads from slots. Alias analysis can
// separate these from an array on the kernel's stack less well than parameters: a tile of sums then goes to memory and
// back. Constants that the launcher passes reach the kernel nevertheless.
void keep_calls(llvm::Function& kernel) {
  for (llvm::User* const user : kernel.users()) {
    if (auto* const call = llvm::dyn_cast<llvm::CallBase>(user)) call->addFnAttr(llvm::Attribute::NoInline);
  }
}

Error link_failed(const std::string& log) { return compile_error("cannot link the sources", log); }

}  // namespace

Result<LinkedModule> link_modules(std::vector<std::unique_ptr<llvm::Module>> units,
                                  std::unique_ptr<llvm::Module> launcher, const CompileJob& job,
                                  const std::string& log) {
  auto whole = std::make_unique<llvm::Module>("kmux", launcher->getContext());
  whole->setTargetTriple(launcher->getTargetTriple());
  whole->setDataLayout(launcher->getDataLayout());
  for (auto& unit : units) {
    if (llvm::Linker::linkModules(*whole, std::move(unit))) return link_failed(log);
  }
  name_kernels(*whole, job);
  KMUX_TRY(check_passed(*whole, job));
  take_structures(*whole, job);
  std::map<std::string, std::vector<unsigned>> records;  // of kernels as their sources have them
  for (const std::string& kernel : job.kernels) records[kernel] = record_bytes(whole->getFunction(kernel));
  std::vector<std::string> variables = written_variables(*whole);
  spmd::place_shared_globals(*whole);
  KMUX_ASSIGN(std::vector<Error> on_fibers, spmd::lower_kernels(*whole, job.blocks, job.check));
  for (const std::string& kernel : job.kernels) {
    KMUX_TRY(check_kernel(*whole, *launcher, kernel, records[kernel], !job.blocks.empty()));
    llvm::Function* called = launcher->getFunction(kernel);
    if (!called) continue;
    llvm::FunctionType& taken = *whole->getFunction(kernel)->getFunctionType();
    if (called->getFunctionType() != &taken) adapt_calls(*called, taken);
    if (job.blocks.empty()) keep_calls(*called);
  }
  if (llvm::Linker::linkModules(*whole, std::move(launcher))) return link_failed(log);
  KMUX_TRY(name_constants(*whole, job.constants));
  llvm::internalizeModule(*whole, [&](const llvm::GlobalValue& value) {
    return value.getName() == job.entry || (!job.constants.empty() && value.getName().starts_with(kConstantSymbol));
  });
  return LinkedModule{std::move(whole), std::move(on_fibers), std::move(variables)};
}

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

// The passes of the fast tier: they promote memory to scalars, inline, and hoist work out of loops, each about once.
// They include neither vectoriser nor partial unrolling: LLVM would spend most of its time on the resulting code. The
// coroutine passes are not an optimisation: without them there is no code.
constexpr llvm::StringRef kFastPasses =
    "coro-cond(coro-early,cgscc(coro-split),coro-cleanup),"
    "function(sroa,early-cse,simplifycfg),ipsccp,globaldce,inliner-wrapper,globaldce,"
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
  const std::string& triple = triple_of(cpu);
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, why);
  if (!target) return make_error(ErrorCode::kInternal, "LLVM has no code generator for " + triple + " (" + why + ").");
  llvm::TargetOptions options;
  options.EmulatedTLS = true;  // native thread-local storage needs the loader of the process
  options.UseInitArray = true;
  options.EmitStackSizeSection = true;  // for write_frame_sizes
  if (opt_level >= 3) options.LoopAlignment = 64;  // a cache line: a short loop is fetched at once
  // On AArch64, JIT alone would mean addresses of 64 bits, which an exported library cannot have.
  const auto model = is_aarch64(triple) ? std::optional(llvm::CodeModel::Small) : std::nullopt;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu, "", options, llvm::Reloc::PIC_, model, code_gen_level(opt_level, tier), /*JIT=*/true));
}

namespace {

// Keeps loops scalar that do little more than an ordered sum: elements would move between vector and scalar in them
// without gain.
struct KeepPlainSums : llvm::PassInfoMixin<KeepPlainSums> {
  static constexpr unsigned kMinWork = 8;  // operations on floating-point numbers

  static bool sums_in_order(const llvm::Loop& loop) {
    return llvm::any_of(loop.getHeader()->phis(), [&](const llvm::PHINode& phi) {
      const llvm::BasicBlock* const latch = loop.getLoopLatch();
      if (!phi.getType()->isFloatingPointTy() || latch == nullptr) return false;
      const auto* const next = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValueForBlock(latch));
      return next != nullptr && llvm::isa<llvm::FPMathOperator>(next) && !next->hasAllowReassoc();
    });
  }
  static unsigned work_of(const llvm::Loop& loop) {
    unsigned count = 0;
    for (const llvm::BasicBlock* const block : loop.blocks()) {
      for (const llvm::Instruction& one : *block)
        count += one.getType()->isFloatingPointTy() && one.getNumOperands() > 1;
    }
    return count;
  }
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    for (llvm::Loop* const loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      const bool is_plain = loop->isInnermost() && sums_in_order(*loop) && work_of(*loop) < kMinWork;
      if (is_plain) llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.width", 1);
    }
    return llvm::PreservedAnalyses::all();
  }
};

// Aligns arrays on the stack to cache lines: vectors as wide as a line would otherwise each cross two.
void align_arrays(llvm::Module& module) {
  constexpr std::uint64_t kLine = 64;
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::Function& function : module) {
    if (function.isPresplitCoroutine()) continue;
    for (llvm::Instruction& one : llvm::instructions(function)) {
      auto* const array = llvm::dyn_cast<llvm::AllocaInst>(&one);
      if (array == nullptr || !array->isStaticAlloca() || !array->getAllocatedType()->isArrayTy()) continue;
      if (layout.getTypeAllocSize(array->getAllocatedType()) < kLine) continue;
      array->setAlignment(std::max(array->getAlign(), llvm::Align(kLine)));
    }
  }
}

#ifdef NDEBUG
constexpr bool kVerifies = false;
#else
constexpr bool kVerifies = true;
#endif

// Adds LLVM's verifier after the pass in builds with assertions: a finding ends the process.
template <class Pass>
void add_own_pass(llvm::FunctionPassManager& passes, Pass pass) {
  passes.addPass(std::move(pass));
  if (kVerifies) passes.addPass(llvm::VerifierPass());
}

void add_own_passes(llvm::PassBuilder& builder) {
  builder.registerScalarOptimizerLateEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
    add_own_pass(passes, SplitLoops());
    add_own_pass(passes, NarrowMasks());
  });
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(KeepPlainSums()); });
  builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    llvm::FunctionPassManager own;
    add_own_pass(own, JoinBytes());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(own)));
  });
}

}  // namespace

void optimize(llvm::Module& module, llvm::TargetMachine& machine, unsigned opt_level, Tier tier, bool of_threads) {
  spmd::place_scales(module, machine);
  if (tier == Tier::kFull && opt_level >= 2) align_arrays(module);
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = opt_level >= 2;
  tuning.SLPVectorization = opt_level >= 2 && !of_threads;
  tuning.LoopUnrolling = tuning.LoopInterleaving = opt_level >= 2;
  spmd::Analyses analyses(&machine, tuning);
  const llvm::TargetLibraryInfoImpl library((llvm::Triple(module.getTargetTriple())));
  analyses.functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  if (tier == Tier::kFull && opt_level >= 2) add_own_passes(analyses.builder);
  analyses.complete();
  if (kVerifies) llvm::VerifierPass().run(module, analyses.modules);
  passes_of(analyses.builder, opt_level, tier).run(module, analyses.modules);
  if (of_threads) spmd::place_private_arrays(module);
}

Result<std::string> emit_object(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    return make_error(ErrorCode::kInternal, "LLVM cannot write object files for this machine.");
  }
  passes.run(module);
  std::string bytes(object.begin(), object.end());
  KMUX_TRY(write_frame_sizes(bytes));
  return bytes;
}

void capture_messages(llvm::LLVMContext& context, std::string& log, bool& names_lines) {
  struct Handler final : llvm::DiagnosticHandler {
    Handler(std::string& text, bool& names) : log(text), names_lines(names) {}
    bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
      if (info.getSeverity() > llvm::DS_Warning) return true;  // remarks and notes
      names_lines = names_lines || info.getKind() == llvm::DK_FirstPluginKind;
      llvm::raw_string_ostream stream(log);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      stream << severity_name(info.getSeverity());
      info.print(printer);
      stream << "\n";
      return true;
    }
    std::string& log;
    bool& names_lines;
  };
  context.setDiagnosticHandler(std::make_unique<Handler>(log, names_lines));
}

}  // namespace kmux::cpu

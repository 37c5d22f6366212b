#include "simt/codegen/target_machine.h"

#include <algorithm>
#include <optional>

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "simt/codegen/frame_sizes.h"
#include "simt/frontend/installation.h"

namespace kmux::simt {
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

llvm::CodeGenOptLevel code_gen_level(unsigned opt_level, Tier tier) {
  if (tier == Tier::kFast) opt_level = std::min(opt_level, 1U);
  return llvm::CodeGenOpt::getLevel(static_cast<int>(opt_level)).value_or(llvm::CodeGenOptLevel::Aggressive);
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

}  // namespace kmux::simt

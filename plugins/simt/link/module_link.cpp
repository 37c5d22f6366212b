#include "simt/link/module_link.h"

#include <map>

#include "kmux/plugin/compile_log.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "simt/link/kernel_arguments.h"
#include "simt/link/kernel_lookup.h"
#include "simt/link/kernel_records.h"
#include "simt/link/written_variables.h"
#include "simt/transforms/clusters.h"

namespace kmux::simt {
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
                                  std::unique_ptr<llvm::Module> launcher, const CompileJob& job, const std::string& log,
                                  const LowerKernels& lower) {
  auto whole = std::make_unique<llvm::Module>("kmux", launcher->getContext());
  whole->setTargetTriple(launcher->getTargetTriple());
  whole->setDataLayout(launcher->getDataLayout());
  for (auto& unit : units) {
    if (llvm::Linker::linkModules(*whole, std::move(unit))) return link_failed(log);
  }
  name_kernels(*whole, job);
  note_clusters(*whole);
  KMUX_TRY(check_passed(*whole, job));
  take_structures(*whole, job);
  std::map<std::string, std::vector<unsigned>> records;  // of kernels as their sources have them
  for (const std::string& kernel : job.kernels) records[kernel] = record_bytes(whole->getFunction(kernel));
  std::vector<std::string> variables = written_variables(*whole);
  KMUX_ASSIGN(std::vector<Error> on_fibers, lower(*whole));
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

}  // namespace kmux::simt

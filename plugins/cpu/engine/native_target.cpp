#include "engine/native_target.h"

#include <memory>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"

namespace kmux::cpu {

void initialize_llvm() {
  [[maybe_unused]] static const bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
}

namespace {

std::unique_ptr<llvm::MCSubtargetInfo> subtarget_of(llvm::StringRef cpu) {
  initialize_llvm();
  std::string ignored;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host_triple(), ignored);
  if (!target) return nullptr;
  return std::unique_ptr<llvm::MCSubtargetInfo>(target->createMCSubtargetInfo(host_triple(), cpu, ""));
}

}  // namespace

std::optional<Processor> find_cpu(std::string_view name) {
  if (!llvm::is_contained(known_cpus(), name)) return std::nullopt;
  const auto subtarget = subtarget_of(name);
  if (!subtarget || !subtarget->isCPUStringValid(name)) return std::nullopt;
  Processor processor{std::string(name), {}};
  for (const std::string& feature : checkable_features()) {
    if (subtarget->checkFeatures("+" + feature)) processor.features.insert(feature);
  }
  return processor;
}

}  // namespace kmux::cpu

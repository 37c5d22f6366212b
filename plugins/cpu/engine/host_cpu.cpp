#include "engine/host_cpu.h"

#include <elf.h>
#include <memory>

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace kmux::cpu {
namespace {

// Every feature that a machine like this can have, and whether this one has it. Asked once: in a virtual machine each
// CPUID instruction takes long.
const llvm::StringMap<bool>& asked_features() {
  static const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return features;
}

Processor ask_host() {
  Processor host{llvm::sys::getHostCPUName().str(), {}};
  for (const auto& feature : asked_features()) {
    if (feature.second) host.features.insert(feature.first().str());
  }
  return host;
}

// What clang accepts for -march (x86) or -mcpu.
llvm::SmallVector<llvm::StringRef, 0> cpu_names() {
  llvm::SmallVector<llvm::StringRef, 0> names;
  const llvm::Triple triple(host_triple());
  if (triple.isX86()) llvm::X86::fillValidCPUArchList(names, triple.isArch64Bit());
  if (triple.isAArch64()) llvm::AArch64::fillValidCPUArchList(names);
  return names;
}

std::unique_ptr<llvm::MCSubtargetInfo> subtarget_of(llvm::StringRef cpu) {
  initialize_llvm();
  std::string ignored;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host_triple(), ignored);
  if (!target) return nullptr;
  return std::unique_ptr<llvm::MCSubtargetInfo>(target->createMCSubtargetInfo(host_triple(), cpu, ""));
}

}  // namespace

const Processor& host_cpu() {
  static const Processor host = ask_host();
  return host;
}

std::optional<Processor> find_cpu(std::string_view name) {
  if (!llvm::is_contained(cpu_names(), llvm::StringRef(name))) return std::nullopt;
  const auto subtarget = subtarget_of(name);
  if (!subtarget || !subtarget->isCPUStringValid(name)) return std::nullopt;
  Processor processor{std::string(name), {}};
  // Of LLVM's features only those that a host can report: the others are tuning hints.
  for (const auto& feature : asked_features()) {
    if (subtarget->checkFeatures("+" + feature.first().str())) processor.features.insert(feature.first().str());
  }
  return processor;
}

std::vector<std::string> known_cpus() {
  const auto names = cpu_names();
  return {names.begin(), names.end()};
}

const std::string& host_triple() {
  static const std::string triple = llvm::sys::getProcessTriple();
  return triple;
}

unsigned short host_elf_machine() {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#else
#error "the cpu plugin knows x86-64 and AArch64"
#endif
}

void initialize_llvm() {
  [[maybe_unused]] static const bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
}

}  // namespace kmux::cpu

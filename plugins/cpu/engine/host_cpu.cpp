#include "engine/host_cpu.h"

#include <elf.h>

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
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

}  // namespace

const Processor& host_cpu() {
  static const Processor host = ask_host();
  return host;
}

std::vector<std::string> checkable_features() {
  std::vector<std::string> names;
  for (const auto& feature : asked_features()) names.push_back(feature.first().str());
  return names;
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

}  // namespace kmux::cpu

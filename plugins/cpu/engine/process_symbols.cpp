#include "engine/process_symbols.h"

#include <array>
#include <dlfcn.h>
#include <string_view>

namespace kmux::cpu {
namespace {

namespace orc = llvm::orc;

// Opened local, so that nothing becomes visible to the rest of the process; never closed, as code refers to them.
const std::array<void*, 5>& libraries() {
  static const std::array<void*, 5> handles = {
      dlopen(nullptr, RTLD_NOW | RTLD_LOCAL), dlopen("libc.so.6", RTLD_NOW | RTLD_LOCAL),
      dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL), dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL),
      dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL)};
  return handles;
}

void* find(const char* symbol) {
  for (void* library : libraries()) {
    if (void* address = library ? dlsym(library, symbol) : nullptr) return address;
  }
  return nullptr;
}

class ProcessSymbols final : public orc::DefinitionGenerator {
 public:
  llvm::Error tryToGenerate(orc::LookupState&, orc::LookupKind, orc::JITDylib& dylib, orc::JITDylibLookupFlags,
                            const orc::SymbolLookupSet& wanted) override {
    orc::SymbolMap found;
    for (const auto& [name, flags] : wanted) {
      if (void* address = find((*name).str().c_str())) {
        found[name] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
      }
    }
    if (found.empty()) return llvm::Error::success();
    return dylib.define(orc::absoluteSymbols(std::move(found)));
  }
};

}  // namespace

std::unique_ptr<orc::DefinitionGenerator> process_symbols() { return std::make_unique<ProcessSymbols>(); }

std::string advice_for_missing(const std::string& symbol) {
  const std::string_view name = symbol;
  if (name.starts_with("__kmpc_") || name.starts_with("omp_") || name.starts_with("GOMP_")) {
    return "Link the application with an OpenMP library, or compile without -fopenmp.";
  }
  if (name == "__tls_get_addr" || name.starts_with("__tls")) {
    return "Compile the object with emulated thread-local storage (-femulated-tls).";
  }
  return "Add the source that defines it, or link the application with its library (with -rdynamic if it is the "
         "application's own function).";
}

}  // namespace kmux::cpu

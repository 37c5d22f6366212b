// Resolves which function of the sources a launch means.
#include "simt/link/kernel_lookup.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "kmux/plugin/kernel_names.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "simt/analysis/demangled.h"
#include "simt/analysis/names.h"
#include "simt/frontend/job.h"

namespace kmux::simt {
namespace {

constexpr std::size_t kMaxListed = 8;

// Returns the functions that are __global__, including static ones: device/threads.h marks them as used.
std::vector<llvm::Function*> kernels_in(const llvm::Module& module) {
  std::vector<llvm::Function*> kernels;
  for (const bool compiler : {false, true}) {
    llvm::SmallVector<llvm::GlobalValue*, 16> used;
    llvm::collectUsedGlobalVariables(module, used, compiler);
    for (llvm::GlobalValue* const value : used) {
      auto* const function = llvm::dyn_cast<llvm::Function>(value);
      if (function != nullptr && !function->isDeclaration()) kernels.push_back(function);
    }
  }
  return kernels;
}

// Names `function` after a kernel. If it has another kernel's name, a copy gets the name: "scale<float>" and
// "scale<float, 4>" may be one function.
void set_name(llvm::Function& function, const std::string& name, const std::vector<std::string>& kernels) {
  const bool is_named = std::ranges::find(kernels, function.getName().str()) != kernels.end();
  if (!function.hasFnAttribute(kKernelSymbol)) function.addFnAttr(kKernelSymbol, function.getName());
  if (!is_named) return function.setName(name);
  llvm::ValueToValueMapTy values;
  llvm::CloneFunction(&function, values)->setName(name);
}

void name_instances(llvm::Module& module, const std::vector<std::string>& kernels) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    llvm::GlobalVariable* const variable = module.getGlobalVariable(instance_of(i));
    if (variable == nullptr) continue;
    auto* const function = llvm::dyn_cast<llvm::Function>(variable->getInitializer()->stripPointerCasts());
    variable->eraseFromParent();
    if (function != nullptr) set_name(*function, kernels[i], kernels);
  }
}

// Returns the name of `function` without namespace and parameters; empty if it is not a C++ name.
std::string base_name(const llvm::Function& function) {
  const std::string mangled = function.getName().str();
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(mangled.c_str())) return "";
  char* buffer = demangler.getFunctionBaseName(nullptr, nullptr);
  const std::string name = buffer ? buffer : "";
  std::free(buffer);
  return name;
}

// Returns "scale" for "ns::scale<float>(float*)".
std::string base_name(const std::string& kernel) {
  const std::string name = kernel.substr(0, std::min(kernel.find_first_of("<("), kernel.size()));
  const std::string last = name.substr(name.rfind(':') + 1);  // npos + 1 is 0
  return last.substr(0, last.find(' '));
}

// Returns true if the launcher can call `function`, or a launch on a grid can mean it.
bool is_callable(const llvm::Function& function, bool on_grid) {
  if (function.isDeclaration()) return false;
  return on_grid || (!function.hasLocalLinkage() && !function.hasLinkOnceLinkage());
}

// Returns the functions as their author wrote them: "gemm(float*, int), scale".
std::string list_functions(const llvm::Module& module) {
  std::string list;
  std::size_t count = 0;
  for (const llvm::Function& function : module) {
    if (!is_callable(function, false)) continue;
    if (++count > kMaxListed) return list + ", ...";
    list += (list.empty() ? "" : ", ") + demangled(function.getName());
  }
  return list.empty() ? "none" : list;
}

std::vector<std::string> namesakes(const llvm::Module& module, const std::string& kernel, bool on_grid) {
  std::vector<std::string> symbols;
  for (const llvm::Function& function : module) {
    if (is_callable(function, on_grid) && base_name(function) == base_name(kernel))
      symbols.push_back(function.getName().str());
  }
  return symbols;
}

// Returns "scale<float>(float*)" for "void scale<float>(float*)".
std::string written(const std::string& symbol) {
  const std::string text = demangled(symbol);
  return text.starts_with("void ") ? text.substr(5) : text;
}

// Explains which functions have this name in C++.
std::string explain_namesakes(const std::vector<std::string>& symbols, bool on_grid) {
  if (symbols.size() == 1 && !on_grid) {
    return "there is the C++ function \"" + demangled(symbols.front()) +
           R"("). Declare it extern "C", or name the kernel ")" + symbols.front() + "\".";
  }
  std::string list;
  for (std::size_t i = 0; i < std::min(symbols.size(), kMaxListed); ++i) {
    list.append(list.empty() ? "\"" : ", \"").append(written(symbols[i])).append("\"");
  }
  if (symbols.size() > kMaxListed) list += ", ...";
  const std::string one = on_grid ? written(symbols.front()) : symbols.front();
  return "there " + std::string(symbols.size() == 1 ? "is " : "are ") + list + "). Name one of them in full: \"" + one +
         "\".";
}

// Explains why `kernel` cannot be called by that name, with advice.
std::string explain_missing(const llvm::Module& module, const std::string& kernel, bool on_grid) {
  if (const llvm::Function* found = module.getFunction(kernel); found && found->hasLocalLinkage()) {
    return "it is static). Remove \"static\".";
  }
  const std::vector<std::string> symbols = namesakes(module, kernel, on_grid);
  if (!symbols.empty()) return explain_namesakes(symbols, on_grid);
  return "the functions are: " + list_functions(module) + "). Name one of them, or define it.";
}

}  // namespace

// Removes the used marks of the kernels, which have kept static ones so far.
void name_kernels(llvm::Module& module, const CompileJob& job) {
  if (job.blocks.empty()) return;
  const std::vector<llvm::Function*> kernels = kernels_in(module);
  llvm::removeFromUsedLists(module, [](llvm::Constant*) { return true; });
  std::vector<std::string> symbols;
  symbols.reserve(kernels.size());
  for (const llvm::Function* const kernel : kernels) symbols.push_back(kernel->getName().str());
  name_instances(module, job.kernels);
  for (const std::string& name : job.kernels) {
    if (module.getFunction(name) != nullptr) continue;
    const std::vector<std::size_t> found = find_symbols(name, symbols);
    if (found.size() == 1) set_name(*kernels[found.front()], name, job.kernels);
  }
}

Error no_kernel(const llvm::Module& units, const std::string& kernel, bool on_grid) {
  return make_error(ErrorCode::kCompileFailed,
                    "the sources do not define kernel \"" + kernel + "\" (" + explain_missing(units, kernel, on_grid));
}

}  // namespace kmux::simt

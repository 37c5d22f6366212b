#include <algorithm>
#include <array>
#include <string_view>

#include "engine/pipeline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

namespace kmux {

extern const std::string_view cpu_math_text;  // device/math_*.h

}  // namespace kmux

namespace kmux::cpu {
namespace {

constexpr llvm::StringRef kPrefix = "kmux_math_";

/// A function of C, and LLVM's intrinsic that means the same.
struct MathFunction {
  llvm::StringRef name;
  llvm::Intrinsic::ID intrinsic = llvm::Intrinsic::not_intrinsic;
};

// Those that a vectorised loop does at least twice as fast so as by calls. In double, sin, cos, tan and pow are no faster on AVX2.
constexpr std::array kOfBoth = {MathFunction{"exp", llvm::Intrinsic::exp},
                                MathFunction{"exp2", llvm::Intrinsic::exp2},
                                MathFunction{"exp10", llvm::Intrinsic::exp10},
                                MathFunction{"expm1"},
                                MathFunction{"log", llvm::Intrinsic::log},
                                MathFunction{"log2", llvm::Intrinsic::log2},
                                MathFunction{"log10", llvm::Intrinsic::log10},
                                MathFunction{"log1p"},
                                MathFunction{"sinh", llvm::Intrinsic::sinh},
                                MathFunction{"cosh", llvm::Intrinsic::cosh},
                                MathFunction{"tanh", llvm::Intrinsic::tanh},
                                MathFunction{"asin", llvm::Intrinsic::asin},
                                MathFunction{"acos", llvm::Intrinsic::acos},
                                MathFunction{"atan", llvm::Intrinsic::atan},
                                MathFunction{"erf"},
                                MathFunction{"erfc"},
                                MathFunction{"cbrt"}};
constexpr std::array kOfFloat = {MathFunction{"sin", llvm::Intrinsic::sin}, MathFunction{"cos", llvm::Intrinsic::cos},
                                 MathFunction{"tan", llvm::Intrinsic::tan}};

const MathFunction* find_math(llvm::ArrayRef<MathFunction> functions, llvm::StringRef name,
                              llvm::Intrinsic::ID intrinsic) {
  const auto* const found = llvm::find_if(functions, [&](const MathFunction& one) {
    return intrinsic == llvm::Intrinsic::not_intrinsic ? one.name == name : one.intrinsic == intrinsic;
  });
  return found == functions.end() ? nullptr : found;
}

// The C function that `declared` is, or empty if it is none of ours.
std::string name_of_math(const llvm::Function& declared) {
  const llvm::FunctionType& type = *declared.getFunctionType();
  if (!declared.isDeclaration() || type.getNumParams() != 1 || type.isVarArg()) return "";
  if (type.getReturnType() != type.getParamType(0)) return "";
  const bool is_float = type.getReturnType()->isFloatTy();
  if (!is_float && !type.getReturnType()->isDoubleTy()) return "";
  llvm::StringRef name = declared.getName();
  if (!declared.isIntrinsic() && is_float && !name.consume_back("f")) return "";
  const MathFunction* found = find_math(kOfBoth, name, declared.getIntrinsicID());
  if (found == nullptr && is_float) found = find_math(kOfFloat, name, declared.getIntrinsicID());
  return found == nullptr ? "" : (found->name + (is_float ? "f" : "")).str();
}

void redirect(llvm::Function& declared, llvm::StringRef name) {
  const llvm::FunctionCallee own = declared.getParent()->getOrInsertFunction(name, declared.getFunctionType());
  for (llvm::User* const user : llvm::make_early_inc_range(declared.users())) {
    auto* const call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call != nullptr && call->getCalledOperand() == &declared && !call->isMustTailCall())
      call->setCalledFunction(own);
  }
}

bool is_defined(const std::vector<std::unique_ptr<llvm::Module>>& modules, const std::string& name) {
  return llvm::any_of(modules, [&](const auto& module) {
    const llvm::Function* const found = module->getFunction(name);
    return found != nullptr && !found->isDeclaration();
  });
}

}  // namespace

std::set<std::string> redirect_math(const std::vector<std::unique_ptr<llvm::Module>>& modules) {
  std::set<std::string> called;
  for (const auto& module : modules) {
    for (llvm::Function& function : llvm::make_early_inc_range(*module)) {
      const std::string name = name_of_math(function);
      if (name.empty() || function.use_empty()) continue;
      if (is_defined(modules, name)) {
        if (function.isIntrinsic()) redirect(function, name);  // Clang takes a call of C's name for the library's
        continue;
      }
      redirect(function, (kPrefix + name).str());
      called.insert(name);
    }
  }
  return called;
}

std::string math_unit(const std::set<std::string>& functions) {
  std::string text = "#define KMUX_DEVICE static inline __attribute__((always_inline, unused))\nnamespace kmux {\n";
  text += cpu_math_text;
  text += "}\n";
  for (const std::string& name : functions) {
    const std::string type = name.ends_with("f") && name != "erf" ? "float " : "double ";
    text.append("extern \"C\" __attribute__((always_inline)) ").append(type).append(kPrefix).append(name);
    text.append("(").append(type).append("x) { return kmux::").append(name).append("(x); }\n");
  }
  return text;
}

}  // namespace kmux::cpu

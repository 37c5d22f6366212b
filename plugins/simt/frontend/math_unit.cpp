#include "simt/frontend/math_unit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

namespace kmux {

extern const std::string_view cpu_math_text;  // device/math_*.h

}  // namespace kmux

namespace kmux::simt {
// Folds calls with constant arguments. As a polynomial, such a call would be compiled wherever it stands and folded
// much later.
namespace {

using Number = long double;  // more digits than the rounded result

struct OfOne {
  llvm::StringRef name;
  Number (*value)(Number);
};
struct OfTwo {
  llvm::StringRef name;
  Number (*value)(Number, Number);
};

Number power_of_ten(Number x) { return std::pow(Number(10), x); }

constexpr std::array kOfOne = {
    OfOne{"acos", std::acos},   OfOne{"acosh", std::acosh}, OfOne{"asin", std::asin},     OfOne{"asinh", std::asinh},
    OfOne{"atan", std::atan},   OfOne{"atanh", std::atanh}, OfOne{"cbrt", std::cbrt},     OfOne{"cos", std::cos},
    OfOne{"cosh", std::cosh},   OfOne{"erf", std::erf},     OfOne{"erfc", std::erfc},     OfOne{"exp", std::exp},
    OfOne{"exp2", std::exp2},   OfOne{"expm1", std::expm1}, OfOne{"exp10", power_of_ten}, OfOne{"log", std::log},
    OfOne{"log10", std::log10}, OfOne{"log1p", std::log1p}, OfOne{"log2", std::log2},     OfOne{"sin", std::sin},
    OfOne{"sinh", std::sinh},   OfOne{"tan", std::tan},     OfOne{"tanh", std::tanh}};
constexpr std::array kOfTwo = {OfTwo{"atan2", std::atan2}, OfTwo{"fmod", std::fmod}, OfTwo{"hypot", std::hypot},
                               OfTwo{"pow", std::pow}, OfTwo{"remainder", std::remainder}};

template <class Functions>
auto find_named(const Functions& functions, llvm::StringRef name) {
  const auto found = llvm::find_if(functions, [&](const auto& one) { return one.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

std::optional<Number> value_of(llvm::StringRef name, llvm::ArrayRef<double> arguments) {
  if (arguments.size() == 1) {
    const OfOne* const found = find_named(kOfOne, name);
    return found == nullptr ? std::nullopt : std::optional(found->value(arguments[0]));
  }
  const OfTwo* const found = arguments.size() == 2 ? find_named(kOfTwo, name) : nullptr;
  return found == nullptr ? std::nullopt : std::optional(found->value(arguments[0], arguments[1]));
}

bool is_known(llvm::StringRef name) {
  return find_named(kOfOne, name) != nullptr || find_named(kOfTwo, name) != nullptr;
}

/// The name of a mathematical function: mangled for a device function ("_ZL3powdd" is pow(double, double) of a file),
/// C's for one of the C library.
struct MathName {
  llvm::StringRef name;
  llvm::StringRef parameters;  // a letter each
};

std::optional<MathName> split(const llvm::Function& function) {
  llvm::StringRef mangled = function.getName();
  unsigned length = 0;
  if (function.isDeclaration()) return MathName{mangled, llvm::StringRef("dd").take_front(function.arg_size())};
  if (!mangled.consume_front("_ZL") || mangled.consumeInteger(10, length) || length > mangled.size())
    return std::nullopt;
  MathName found{mangled.take_front(length), mangled.drop_front(length)};
  if (found.parameters.consume_front("I"))
    found.parameters = found.parameters.take_until([](char c) { return c == 'E'; });
  return found;
}

std::optional<MathName> math_name(const llvm::Function& function) {
  std::optional<MathName> found = split(function);
  if (!found || is_known(found->name)) return found;
  return found->name.consume_back("f") && is_known(found->name) ? found : std::nullopt;
}

// Returns `argument` as a number, for a parameter whose mangled type is `letter`; empty if it is not constant.
std::optional<double> number_of(const llvm::Value* argument, char letter) {
  if (const auto* const number = llvm::dyn_cast<llvm::ConstantFP>(argument)) {
    if (number->getType()->isFloatTy()) return number->getValueAPF().convertToFloat();
    return number->getType()->isDoubleTy() ? std::optional(number->getValueAPF().convertToDouble()) : std::nullopt;
  }
  const auto* const whole = llvm::dyn_cast<llvm::ConstantInt>(argument);
  if (whole == nullptr || whole->getBitWidth() > 64) return std::nullopt;
  const bool has_sign = llvm::StringRef("acsilx").contains(letter);
  return has_sign ? static_cast<double>(whole->getSExtValue()) : static_cast<double>(whole->getZExtValue());
}

llvm::Constant* value_of(const llvm::CallInst& call) {
  const llvm::Function* const called = call.getCalledFunction();
  const std::optional<MathName> function =
      called == nullptr || call.isMustTailCall() ? std::nullopt : math_name(*called);
  if (!function || function->parameters.size() != call.arg_size()) return nullptr;
  llvm::SmallVector<double, 2> arguments;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const std::optional<double> number = number_of(call.getArgOperand(i), function->parameters[i]);
    if (!number) return nullptr;
    arguments.push_back(*number);
  }
  return constant_math(function->name, arguments, *call.getType());
}

// Returns the constant value of `one`, or null. Clang has folded the text's own constants, but no values computed from
// such calls.
llvm::Constant* value_of(llvm::Instruction& one) {
  if (const auto* const call = llvm::dyn_cast<llvm::CallInst>(&one)) return value_of(*call);
  if (!llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst>(one)) return nullptr;
  return llvm::ConstantFoldInstruction(&one, one.getDataLayout());
}

}  // namespace

llvm::ConstantFP* constant_math(llvm::StringRef name, llvm::ArrayRef<double> arguments, llvm::Type& type) {
  const std::optional<Number> value = value_of(name, arguments);
  if (!value || !(type.isFloatTy() || type.isDoubleTy())) return nullptr;
  const double rounded = type.isFloatTy() ? static_cast<float>(*value) : static_cast<double>(*value);
  if (!std::isfinite(rounded)) return nullptr;
  return llvm::cast<llvm::ConstantFP>(llvm::ConstantFP::get(&type, rounded));
}

void fold_mathematics(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& one : llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::Constant* const value = value_of(one);
      if (value == nullptr) continue;
      one.replaceAllUsesWith(value);
      one.eraseFromParent();
    }
  }
}

namespace {

constexpr llvm::StringRef kPrefix = "kmux_math_";

/// A function of C, and LLVM's intrinsic that means the same.
struct MathFunction {
  llvm::StringRef name;
  llvm::Intrinsic::ID intrinsic = llvm::Intrinsic::not_intrinsic;
};

// Functions that a vectorised loop computes at least twice as fast as by calls. In double, sin, cos, tan and pow are no
// faster on AVX2.
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

// Returns the C function that `declared` is; empty if it is not listed above.
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

// Returns the constant result of a call of C's function `name`, or null if it is not constant.
llvm::Constant* constant_of(const llvm::CallInst& call, llvm::StringRef name) {
  const auto* const x = llvm::dyn_cast<llvm::ConstantFP>(call.getArgOperand(0));
  if (x == nullptr) return nullptr;
  const bool is_float = call.getType()->isFloatTy();
  const double argument = is_float ? x->getValueAPF().convertToFloat() : x->getValueAPF().convertToDouble();
  return constant_math(is_float ? name.drop_back() : name, argument, *call.getType());
}

// Redirects the calls of `declared`, C's function `name`, to `own`, but folds constant ones. Returns true if any call
// was redirected.
bool redirect(llvm::Function& declared, llvm::StringRef name, llvm::StringRef own) {
  bool is_called = false;
  for (llvm::User* const user : llvm::make_early_inc_range(declared.users())) {
    auto* const call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call == nullptr || call->getCalledOperand() != &declared || call->isMustTailCall()) continue;
    if (llvm::Constant* const value = own == name ? nullptr : constant_of(*call, name)) {
      call->replaceAllUsesWith(value);
      call->eraseFromParent();
      continue;
    }
    call->setCalledFunction(declared.getParent()->getOrInsertFunction(own, declared.getFunctionType()));
    is_called = true;
  }
  return is_called;
}

bool is_defined(const std::vector<std::unique_ptr<llvm::Module>>& modules, const std::string& name) {
  return llvm::any_of(modules, [&](const auto& module) {
    const llvm::Function* const found = module->getFunction(name);
    return found != nullptr && !found->isDeclaration();
  });
}

// Redirects the calls of `function`. Returns the C function that math_unit must define for them; empty if none.
std::string redirected_name(llvm::Function& function, const std::vector<std::unique_ptr<llvm::Module>>& modules) {
  const std::string name = name_of_math(function);
  if (name.empty() || function.use_empty()) return "";
  if (is_defined(modules, name)) {
    if (function.isIntrinsic()) redirect(function, name, name);  // Clang takes a call of C's name for the library's
    return "";
  }
  return redirect(function, name, (kPrefix + name).str()) ? name : "";
}

}  // namespace

std::set<std::string> redirect_math(const std::vector<std::unique_ptr<llvm::Module>>& modules) {
  std::set<std::string> called;
  for (const auto& module : modules) {
    for (llvm::Function& function : llvm::make_early_inc_range(*module)) {
      std::string name = redirected_name(function, modules);
      if (!name.empty()) called.insert(std::move(name));
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

}  // namespace kmux::simt

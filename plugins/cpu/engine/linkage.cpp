#include "engine/linkage.h"

#include "kmux/plugin/compile_log.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/Internalize.h"

namespace kmux::cpu {
namespace {

constexpr std::size_t kMostListed = 8;

// The functions a launcher could call, as their author wrote them: "gemm(float*, int), scale".
std::string list_functions(const llvm::Module& module) {
  std::string list;
  std::size_t count = 0;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() || function.hasLocalLinkage() || function.hasLinkOnceLinkage()) continue;
    if (++count > kMostListed) return list + ", ...";
    list += (list.empty() ? "" : ", ") + llvm::demangle(function.getName().str());
  }
  return list.empty() ? "none" : list;
}

// The name of `mangled` without namespace and parameters, or empty if it is no C++ name.
std::string base_name(const llvm::Function& function) {
  const std::string mangled = function.getName().str();
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(mangled.c_str())) return "";
  char* buffer = demangler.getFunctionBaseName(nullptr, nullptr);
  const std::string name = buffer ? buffer : "";
  std::free(buffer);
  return name;
}

// Why `kernel` cannot be called by that name, and what would help.
std::string explain_missing(const llvm::Module& module, const std::string& kernel) {
  if (const llvm::Function* found = module.getFunction(kernel); found && found->hasLocalLinkage()) {
    return "it is static). Remove \"static\".";
  }
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() || base_name(function) != kernel) continue;
    const std::string mangled = function.getName().str();
    return "there is the C++ function \"" + llvm::demangle(mangled) +
           R"("). Declare it extern "C", or name the kernel ")" + mangled + "\".";
  }
  return "the functions are: " + list_functions(module) + "). Name one of them, or define it.";
}

std::string describe(const llvm::FunctionType& type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

// May an argument of type `given` be passed to a parameter of type `taken` by its bits? A bool is a byte, 0 or 1.
bool same_bits(const llvm::Type* given, const llvm::Type* taken) {
  if (given->isIntegerTy(1)) return taken->isIntegerTy(8);
  return given->isIntegerTy() && (taken->isHalfTy() || taken->isBFloatTy()) &&
         given->getPrimitiveSizeInBits() == taken->getPrimitiveSizeInBits();
}

bool can_call(const llvm::FunctionType& given, const llvm::FunctionType& taken) {
  if (given.getReturnType() != taken.getReturnType()) return false;
  if (given.getNumParams() != taken.getNumParams() || taken.isVarArg()) return false;
  for (unsigned i = 0; i < given.getNumParams(); ++i) {
    const llvm::Type* from = given.getParamType(i);
    const llvm::Type* to = taken.getParamType(i);
    if (from != to && !same_bits(from, to)) return false;
  }
  return true;
}

Status check_kernel(const llvm::Module& units, const llvm::Module& launcher, const std::string& kernel) {
  const llvm::Function* called = launcher.getFunction(kernel);
  if (!called) return Ok{};  // declared, never launched
  const llvm::Function* defined = units.getFunction(kernel);
  if (!defined || defined->isDeclaration() || defined->hasLocalLinkage()) {
    return make_error(ErrorCode::kCompileFailed,
                      "the sources do not define kernel \"" + kernel + "\" (" + explain_missing(units, kernel));
  }
  if (defined->getCallingConv() != called->getCallingConv()) {
    return make_error(
        ErrorCode::kInvalidArgument,
        "kernel \"" + kernel + "\" has another calling convention than C functions have here. Remove its attribute.");
  }
  if (can_call(*called->getFunctionType(), *defined->getFunctionType())) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "kernel \"" + kernel + "\" has the type " + describe(*defined->getFunctionType()) +
                        " (the dispatch calls it as " + describe(*called->getFunctionType()) +
                        "). Make the launch's arguments and its result match the source.");
}

// Gives the calls of `declared` the parameter types of the definition.
void adapt_calls(llvm::Function& declared, llvm::FunctionType& taken) {
  for (llvm::User* user : llvm::make_early_inc_range(declared.users())) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (!call) continue;
    llvm::IRBuilder<> builder(call);
    for (unsigned i = 0; i < taken.getNumParams(); ++i) {
      llvm::Value* given = call->getArgOperand(i);
      const bool is_bool = given->getType()->isIntegerTy(1);
      call->setArgOperand(i, is_bool ? builder.CreateZExtOrTrunc(given, taken.getParamType(i))
                                     : builder.CreateBitCast(given, taken.getParamType(i)));
      if (call->getArgOperand(i)->getType()->isFloatingPointTy()) {
        call->removeParamAttr(i, llvm::Attribute::ZExt);
        call->removeParamAttr(i, llvm::Attribute::SExt);
      }
    }
    call->mutateFunctionType(&taken);
  }
}

Error link_failed(const std::string& log) { return compile_error("cannot link the sources", log); }

}  // namespace

Result<std::unique_ptr<llvm::Module>> link_modules(std::vector<std::unique_ptr<llvm::Module>> units,
                                                   std::unique_ptr<llvm::Module> launcher,
                                                   const std::vector<std::string>& kernels, const std::string& entry,
                                                   const std::string& log) {
  auto whole = std::make_unique<llvm::Module>("kmux", launcher->getContext());
  whole->setTargetTriple(launcher->getTargetTriple());
  whole->setDataLayout(launcher->getDataLayout());
  for (auto& unit : units) {
    if (llvm::Linker::linkModules(*whole, std::move(unit))) return link_failed(log);
  }
  for (const std::string& kernel : kernels) {
    KMUX_TRY(check_kernel(*whole, *launcher, kernel));
    llvm::Function* called = launcher->getFunction(kernel);
    if (!called) continue;
    llvm::FunctionType& taken = *whole->getFunction(kernel)->getFunctionType();
    if (called->getFunctionType() != &taken) adapt_calls(*called, taken);
  }
  if (llvm::Linker::linkModules(*whole, std::move(launcher))) return link_failed(log);
  llvm::internalizeModule(*whole, [&](const llvm::GlobalValue& value) { return value.getName() == entry; });
  return whole;
}

}  // namespace kmux::cpu

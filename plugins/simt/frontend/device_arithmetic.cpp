#include "simt/frontend/device_arithmetic.h"

#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "simt/analysis/names.h"

namespace kmux::simt {
namespace {

// LLVM's code generator uses these where instructions have no flags. After inlining, an attribute that a flag gave the
// caller would also apply to the body of the called function.
constexpr llvm::StringRef kFreedoms[] = {"approx-func-fp-math", "no-infs-fp-math", "no-nans-fp-math",
                                         "no-signed-zeros-fp-math", "unsafe-fp-math"};

bool is_of_device(const llvm::Function& function, clang::CodeGenerator& generator,
                  const clang::SourceManager& sources) {
  const clang::Decl* const decl = generator.GetDeclForMangledName(function.getName());
  if (decl == nullptr) return false;
  return sources.getFilename(sources.getExpansionLoc(decl->getLocation())).contains(llvm::StringRef(kDeviceFolder));
}

// Removes the promise that no argument and no result is infinite or NaN, which a flag makes for the program's own code.
void forget_promises(llvm::Function& function) {
  for (unsigned i = 0; i < function.arg_size(); ++i) function.removeParamAttr(i, llvm::Attribute::NoFPClass);
  function.removeRetAttr(llvm::Attribute::NoFPClass);
}

void forget_promises(llvm::CallBase& call) {
  for (unsigned i = 0; i < call.arg_size(); ++i) call.removeParamAttr(i, llvm::Attribute::NoFPClass);
  call.removeRetAttr(llvm::Attribute::NoFPClass);
}

void keep_arithmetic(llvm::Function& function) {
  forget_promises(function);
  for (llvm::Instruction& one : llvm::instructions(function)) {
    if (llvm::isa<llvm::FPMathOperator>(one)) one.copyFastMathFlags(llvm::FastMathFlags());
    if (auto* const call = llvm::dyn_cast<llvm::CallBase>(&one)) forget_promises(*call);
  }
  for (llvm::User* const user : function.users()) {
    if (auto* const call = llvm::dyn_cast<llvm::CallBase>(user)) forget_promises(*call);
  }
}

}  // namespace

void keep_device_arithmetic(clang::CodeGenerator& generator, const clang::SourceManager& sources,
                            llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (const llvm::StringRef freedom : kFreedoms) function.removeFnAttr(freedom);
    if (!function.isDeclaration() && is_of_device(function, generator, sources)) keep_arithmetic(function);
  }
}

}  // namespace kmux::simt

#include "kmux/plugin/kernel_names.h"
#include "kmux/plugin/launch_check.h"
#include "kmux/plugin/meta_reader.h"

#include "engine/pipeline.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

namespace kmux::cpu {
namespace {

std::string text_of(const llvm::Type& type, unsigned bytes) {
  if (type.isPointerTy()) return "pointer";
  if (type.isIntegerTy(1)) return "bool";
  if (type.isBFloatTy()) return "bfloat16";
  if (type.isIntegerTy() || type.isFloatingPointTy())
    return (type.isIntegerTy() ? "int" : "float") + std::to_string(8 * bytes);
  return "struct";  // small ones come in registers
}

ArgumentKind kind_of(const llvm::Type& type) {
  if (type.isPointerTy()) return ArgumentKind::kPointer;
  if (type.isIntegerTy()) return ArgumentKind::kInteger;
  return type.isFloatingPointTy() ? ArgumentKind::kFloat : ArgumentKind::kUnknown;
}

KernelArgument taken_argument(const llvm::Argument& argument, const llvm::DataLayout& layout) {
  const auto bytes_of = [&](llvm::Type* type) {
    return static_cast<unsigned>(layout.getTypeStoreSize(type).getFixedValue());
  };
  if (argument.hasByValAttr()) return {bytes_of(argument.getParamByValType()), ArgumentKind::kUnknown, "struct"};
  const unsigned bytes = bytes_of(argument.getType());
  return {bytes, kind_of(*argument.getType()), text_of(*argument.getType(), bytes)};
}

std::vector<KernelArgument> taken_arguments(const llvm::Function& function) {
  std::vector<KernelArgument> taken;
  for (const llvm::Argument& argument : function.args()) {
    taken.push_back(taken_argument(argument, function.getDataLayout()));
  }
  if (const auto types = parameter_types(function.getName().str())) add_types(taken, *types);
  return taken;
}

}  // namespace

Status check_passed(const llvm::Module& units, const CompileJob& job) {
  for (std::size_t i = 0; i < job.passed.size(); ++i) {
    const llvm::Function* const kernel = units.getFunction(job.kernels[i]);
    if (kernel == nullptr || kernel->isDeclaration() || kernel->isVarArg()) continue;
    KMUX_TRY(check_arguments(job.kernels[i], job.passed[i], taken_arguments(*kernel)));
  }
  return Ok{};
}

namespace {

Error no_variable(const Constant& constant) {
  return make_error(ErrorCode::kCompileFailed,
                    "constant \"" + constant.name +
                        "\" is not in the sources (none defines a variable of that name). Declare "
                        "it outside of functions as __constant__ or __device__.");
}

Error is_const(const Constant& constant) {
  return make_error(ErrorCode::kInvalidArgument,
                    "constant \"" + constant.name +
                        "\" is const in its source (compilers compute with its value, which "
                        "cannot be set). Remove \"const\".");
}

}  // namespace

Status name_constants(llvm::Module& module, const std::vector<Constant>& constants) {
  for (std::size_t i = 0; i < constants.size(); ++i) {
    llvm::GlobalVariable* const address = module.getGlobalVariable(constant_symbol(i));
    const bool is_there = address != nullptr && address->hasInitializer();
    auto* const variable =
        is_there ? llvm::dyn_cast<llvm::GlobalVariable>(address->getInitializer()->stripPointerCasts()) : nullptr;
    if (variable == nullptr || variable->isDeclaration()) return no_variable(constants[i]);
    if (variable->isConstant()) return is_const(constants[i]);
    KMUX_TRY(check_constant_size(constants[i], module.getDataLayout().getTypeAllocSize(variable->getValueType())));
    address->eraseFromParent();
    variable->setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable->setVisibility(llvm::GlobalValue::HiddenVisibility);  // its address needs no table
    variable->setDSOLocal(true);
    variable->setComdat(nullptr);
    variable->setName(constant_symbol(i));
  }
  return Ok{};
}

}  // namespace kmux::cpu

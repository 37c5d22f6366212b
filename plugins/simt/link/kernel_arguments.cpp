#include "simt/link/kernel_arguments.h"

#include <algorithm>

#include "kmux/plugin/kernel_names.h"
#include "kmux/plugin/launch_check.h"
#include "kmux/plugin/meta_reader.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "simt/analysis/names.h"
#include "simt/analysis/thread_calls.h"
#include "simt/frontend/job.h"

namespace kmux::simt {

unsigned record_parts(const llvm::Argument& argument) { return std::max(number_of(argument, kRecordParts), 1U); }

unsigned source_bytes(const llvm::Argument& argument) { return number_of(argument, kRecordBytes); }

llvm::Align source_alignment(const llvm::Argument& argument) {
  return std::max(llvm::Align(std::max(number_of(argument, kRecordAlignment), 1U)),
                  argument.getParamAlign().valueOrOne());
}

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

// AArch64 passes a record of one floating-point number as an array of one.
llvm::Type& without_array(llvm::Type& type) {
  return type.isArrayTy() && type.getArrayNumElements() == 1 ? *type.getArrayElementType() : type;
}

KernelArgument taken_argument(const llvm::Argument& argument, const llvm::DataLayout& layout) {
  const auto bytes_of = [&](llvm::Type* type) {
    return static_cast<unsigned>(layout.getTypeStoreSize(type).getFixedValue());
  };
  const bool is_map = number_of(argument, kTensorMapRecord) != 0;
  if (is_map) return {source_bytes(argument), ArgumentKind::kTensorMap, "CUtensorMap"};
  if (argument.hasByValAttr()) return {bytes_of(argument.getParamByValType()), ArgumentKind::kUnknown, "struct"};
  llvm::Type& type = without_array(*argument.getType());
  const unsigned bytes = bytes_of(&type);
  const unsigned record = source_bytes(argument);
  if (record_parts(argument) > 1) return {record, ArgumentKind::kUnknown, "struct"};
  if (record != 0 && (type.isIntegerTy() || record != bytes)) return {record, ArgumentKind::kUnknown, "struct"};
  return {bytes, kind_of(type), text_of(type, bytes)};
}

// Returns the arguments that `function` takes. A record of one number or address looks like that member, but a launch
// may pass a structure as well.
std::vector<KernelArgument> taken_arguments(const llvm::Function& function, const std::vector<KernelArgument>& passed) {
  std::vector<KernelArgument> taken;
  for (unsigned i = 0; i < function.arg_size(); i += record_parts(*function.getArg(i))) {
    const bool is_struct = taken.size() < passed.size() && passed[taken.size()].kind == ArgumentKind::kStruct;
    taken.push_back(taken_argument(*function.getArg(i), function.getDataLayout()));
    const bool is_map = taken.back().kind == ArgumentKind::kTensorMap;
    if (is_struct && !is_map && source_bytes(*function.getArg(i)) != 0) taken.back().kind = ArgumentKind::kUnknown;
  }
  const llvm::Attribute symbol = function.getFnAttribute(kKernelSymbol);
  const llvm::StringRef name = symbol.isValid() ? symbol.getValueAsString() : function.getName();
  if (const auto types = parameter_types(name.str())) add_types(taken, *types);
  return taken;
}

}  // namespace

Status check_passed(const llvm::Module& units, const CompileJob& job) {
  for (std::size_t i = 0; i < job.passed.size(); ++i) {
    const llvm::Function* const kernel = units.getFunction(job.kernels[i]);
    if (kernel == nullptr || kernel->isDeclaration() || kernel->isVarArg()) continue;
    KMUX_TRY(check_arguments(job.kernels[i], job.passed[i], taken_arguments(*kernel, job.passed[i])));
  }
  return Ok{};
}

std::vector<unsigned> record_bytes(const llvm::Function* kernel) {
  std::vector<unsigned> records;
  if (kernel == nullptr) return records;
  for (const llvm::Argument& argument : kernel->args()) {
    records.push_back(argument.getType()->isPointerTy() ? 0 : source_bytes(argument));
  }
  return records;
}

namespace {

// Returns true if an argument of type `given` can be passed by its bits to a parameter of type `taken`. A bool is a
// byte, 0 or 1.
bool same_bits(const llvm::Type* given, const llvm::Type* taken) {
  if (given->isIntegerTy(1)) return taken->isIntegerTy(8);
  return given->isIntegerTy() && (taken->isHalfTy() || taken->isBFloatTy()) &&
         given->getPrimitiveSizeInBits() == taken->getPrimitiveSizeInBits();
}

// Returns true if `given` is as long as the record of `bytes` that is passed as a `taken`.
bool is_record(llvm::Type* given, llvm::Type* taken, unsigned bytes, const llvm::DataLayout& layout) {
  return bytes != 0 && layout.getTypeStoreSize(given) == bytes && layout.getTypeStoreSize(taken) >= bytes;
}

// Returns true if both are records that are copied to the stack in the same way, or neither is one.
bool pass_alike(const llvm::Argument& given, const llvm::Argument& taken) {
  if (given.hasByValAttr() != taken.hasByValAttr()) return false;
  return !given.hasByValAttr() || given.getParamAlign() == taken.getParamAlign();
}

// Returns the value of a record in registers whose memory begins with `given`.
llvm::Value* as_record(llvm::Value* given, llvm::Type* taken, llvm::IRBuilder<>& builder) {
  llvm::BasicBlock& entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::Value* const slot = llvm::IRBuilder<>(&entry, entry.getFirstInsertionPt()).CreateAlloca(taken);
  builder.CreateStore(llvm::Constant::getNullValue(taken), slot);
  builder.CreateStore(given, slot);
  return builder.CreateLoad(taken, slot);
}

llvm::Value* adapted(llvm::Value* given, llvm::Type* taken, llvm::IRBuilder<>& builder) {
  if (given->getType() == taken) return given;
  if (given->getType()->isIntegerTy(1) && taken->isIntegerTy()) return builder.CreateZExtOrTrunc(given, taken);
  if (same_bits(given->getType(), taken)) return builder.CreateBitCast(given, taken);
  return as_record(given, taken, builder);
}

}  // namespace

bool can_call(const llvm::Function& declared, const llvm::Function& kernel, const std::vector<unsigned>& records) {
  const llvm::FunctionType& given = *declared.getFunctionType();
  const llvm::FunctionType& taken = *kernel.getFunctionType();
  if (given.getReturnType() != taken.getReturnType()) return false;
  if (given.getNumParams() != taken.getNumParams() || taken.isVarArg()) return false;
  const std::size_t added = taken.getNumParams() - std::min<std::size_t>(taken.getNumParams(), records.size());
  for (unsigned i = 0; i < given.getNumParams(); ++i) {
    llvm::Type* from = given.getParamType(i);
    llvm::Type* to = taken.getParamType(i);
    const unsigned record = i >= added ? records[i - added] : 0;
    if (!pass_alike(*declared.getArg(i), *kernel.getArg(i))) return false;
    if (from != to && !same_bits(from, to) && !is_record(from, to, record, kernel.getDataLayout())) return false;
  }
  return true;
}

void adapt_calls(llvm::Function& declared, llvm::FunctionType& taken) {
  for (llvm::User* user : llvm::make_early_inc_range(declared.users())) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (!call) continue;
    llvm::IRBuilder<> builder(call);
    for (unsigned i = 0; i < taken.getNumParams(); ++i) {
      call->setArgOperand(i, adapted(call->getArgOperand(i), taken.getParamType(i), builder));
      if (!taken.getParamType(i)->isIntegerTy()) {
        call->removeParamAttr(i, llvm::Attribute::ZExt);
        call->removeParamAttr(i, llvm::Attribute::SExt);
      }
    }
    call->mutateFunctionType(&taken);
  }
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

}  // namespace kmux::simt

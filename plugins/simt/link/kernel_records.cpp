// SPDX-License-Identifier: Apache-2.0
// Structures by value, as kernels on grids take them.
#include "simt/link/kernel_records.h"

#include <algorithm>

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "simt/analysis/thread_calls.h"
#include "simt/frontend/job.h"
#include "simt/link/kernel_arguments.h"

namespace kmux::simt {
namespace {

constexpr std::uint64_t kUnit = 16;  // an ABI's registers may hold more than the last bytes of a record

/// One parameter of the source: its place in the IR, and whether it becomes an address.
struct Parameter {
  unsigned first;
  unsigned parts;
  bool by_address;
  bool is_map;
};

std::vector<Parameter> parameters_of(const llvm::Function& kernel, const std::vector<KernelArgument>& passed) {
  std::vector<Parameter> parameters;
  for (unsigned first = 0; first < kernel.arg_size() && parameters.size() < passed.size();) {
    const llvm::Argument& argument = *kernel.getArg(first);
    const bool is_record = argument.hasByValAttr() || source_bytes(argument) != 0;
    const ArgumentKind kind = passed[parameters.size()].kind;
    const bool is_map = kind == ArgumentKind::kTensorMap;
    const bool by_address = is_record && (is_map || kind == ArgumentKind::kStruct);
    parameters.push_back({first, record_parts(argument), by_address, is_map});
    first += parameters.back().parts;
  }
  return parameters;
}

// Returns true if memory at `address` is only read, as far as this function shows before others are inlined.
bool is_only_read(const llvm::Value& address) {
  return llvm::all_of(address.users(), [&](const llvm::User* user) {
    if (const auto* const copy = llvm::dyn_cast<llvm::MemTransferInst>(user))
      return copy->getRawSource() == &address && copy->getRawDest() != &address;
    if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(user)) return load->isSimple();
    return llvm::isa<llvm::GetElementPtrInst>(user) && is_only_read(*user);
  });
}

// Returns true if this function shows a write to memory at `address`.
bool is_written(const llvm::Value& address) {
  return llvm::any_of(address.users(), [&](const llvm::User* user) {
    if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(user)) return store->getPointerOperand() == &address;
    if (const auto* const filled = llvm::dyn_cast<llvm::MemIntrinsic>(user)) return filled->getRawDest() == &address;
    return llvm::isa<llvm::GetElementPtrInst>(user) && is_written(*user);
  });
}

/// Changes `kernel` to take addresses of its records. `may_share`: records that are only read need not be copied.
class Rewriter {
 public:
  Rewriter(llvm::Function& kernel, const std::vector<Parameter>& parameters, bool may_share)
      : kernel_(kernel), parameters_(parameters), may_share_(may_share), builder_(kernel.getContext()) {}

  void rewrite() {
    if (!kernel_.use_empty()) keep_for_others();
    llvm::Function* const changed = declare();
    changed->splice(changed->begin(), &kernel_);
    builder_.SetInsertPoint(&*changed->getEntryBlock().getFirstInsertionPt());
    for (unsigned i = 0; i < parameters_.size(); ++i) {
      const Parameter& parameter = parameters_[i];
      llvm::Argument& taken = *changed->getArg(i);
      taken.setName(kernel_.getArg(parameter.first)->getName());
      if (parameter.by_address) {
        replace_record(parameter, taken);
      } else {
        kernel_.getArg(parameter.first)->replaceAllUsesWith(&taken);
      }
    }
    changed->takeName(&kernel_);
    kernel_.eraseFromParent();
  }

 private:
  // Keeps a copy for device code, which may also call a kernel or take its address.
  void keep_for_others() {
    llvm::ValueToValueMapTy map;
    llvm::Function* const copy = llvm::CloneFunction(&kernel_, map);
    copy->setLinkage(llvm::GlobalValue::InternalLinkage);
    copy->setComdat(nullptr);
    kernel_.replaceAllUsesWith(copy);
  }

  llvm::Function* declare() {
    llvm::SmallVector<llvm::Type*> types;
    llvm::SmallVector<llvm::AttributeSet> attributes;
    for (const Parameter& parameter : parameters_) {
      const unsigned first = parameter.first;
      types.push_back(parameter.by_address ? builder_.getPtrTy() : kernel_.getArg(first)->getType());
      attributes.push_back(parameter.by_address ? address_attributes(first)
                                                : kernel_.getAttributes().getParamAttrs(first));
    }
    auto* const type = llvm::FunctionType::get(kernel_.getReturnType(), types, false);
    auto* const made =
        llvm::Function::Create(type, kernel_.getLinkage(), kernel_.getAddressSpace(), "", kernel_.getParent());
    made->copyAttributesFrom(&kernel_);
    made->setAttributes(llvm::AttributeList::get(kernel_.getContext(), kernel_.getAttributes().getFnAttrs(),
                                                 kernel_.getAttributes().getRetAttrs(), attributes));
    made->copyMetadata(&kernel_, 0);
    return made;
  }

  std::uint64_t bytes_of(unsigned first) const {
    const llvm::Argument& argument = *kernel_.getArg(first);
    const unsigned bytes = source_bytes(argument);
    if (bytes != 0 || !argument.hasByValAttr()) return bytes;
    return kernel_.getDataLayout().getTypeAllocSize(argument.getParamByValType()).getFixedValue();
  }

  // The record at the address is not written while the kernel runs.
  llvm::AttributeSet address_attributes(unsigned first) const {
    llvm::AttrBuilder attributes(kernel_.getContext());
    for (const auto one : {llvm::Attribute::NoAlias, llvm::Attribute::ReadOnly, llvm::Attribute::NoCapture})
      attributes.addAttribute(one);
    attributes.addDereferenceableAttr(bytes_of(first));
    attributes.addAttribute(kRecordMemory, std::to_string(bytes_of(first)));
    return llvm::AttributeSet::get(kernel_.getContext(), attributes);
  }

  void replace_record(const Parameter& parameter, llvm::Argument& given) {
    llvm::Argument& first = *kernel_.getArg(parameter.first);
    const std::uint64_t bytes = bytes_of(parameter.first);
    const bool is_in_memory = first.getType()->isPointerTy() && parameter.parts == 1 && is_indirect(first, bytes);
    if (is_in_memory && may_share_ && can_share(parameter)) return first.replaceAllUsesWith(&given);
    const std::uint64_t room = llvm::alignTo(bytes, kUnit);
    llvm::AllocaInst* const own = builder_.CreateAlloca(llvm::ArrayType::get(builder_.getInt8Ty(), room));
    own->setAlignment(std::max(llvm::Align(kUnit), source_alignment(first)));
    builder_.CreateMemCpy(own, own->getAlign(), &given, llvm::MaybeAlign(), bytes);
    if (is_in_memory) {
      first.replaceAllUsesWith(own);
    } else {
      load_parts(parameter, *own);
    }
  }

  // Returns true if threads need no copies. A tensor map is passed on to instructions, which only read it.
  bool can_share(const Parameter& parameter) const {
    const llvm::Argument& argument = *kernel_.getArg(parameter.first);
    if (parameter.is_map) return !is_written(argument);
    return source_alignment(argument) <= llvm::Align(kUnit) && is_only_read(argument);  // emit_struct aligns it so
  }

  // Returns true if the argument points to the record; false if it is a pointer that is all of the record.
  static bool is_indirect(const llvm::Argument& argument, std::uint64_t bytes) {
    return argument.hasByValAttr() || bytes > sizeof(void*);
  }

  // Loads the parts of a record. Registers hold it like a structure of their types.
  void load_parts(const Parameter& parameter, llvm::AllocaInst& own) {
    llvm::SmallVector<llvm::Type*> types;
    for (unsigned i = 0; i < parameter.parts; ++i) types.push_back(kernel_.getArg(parameter.first + i)->getType());
    auto* const record = llvm::StructType::get(kernel_.getContext(), types);
    for (unsigned i = 0; i < parameter.parts; ++i) {
      llvm::Value* const place = builder_.CreateStructGEP(record, &own, i);
      kernel_.getArg(parameter.first + i)->replaceAllUsesWith(builder_.CreateLoad(types[i], place));
    }
  }

  llvm::Function& kernel_;
  const std::vector<Parameter>& parameters_;
  const bool may_share_;
  llvm::IRBuilder<> builder_;
};

}  // namespace

void take_structures(llvm::Module& units, const CompileJob& job) {
  if (job.blocks.empty()) return;
  for (std::size_t i = 0; i < job.passed.size(); ++i) {
    llvm::Function* const kernel = units.getFunction(job.kernels[i]);
    if (kernel == nullptr || kernel->isDeclaration() || kernel->isVarArg()) continue;
    const std::vector<Parameter> parameters = parameters_of(*kernel, job.passed[i]);
    if (std::ranges::any_of(parameters, &Parameter::by_address))
      Rewriter(*kernel, parameters, !job.check.memory).rewrite();
  }
}

}  // namespace kmux::simt

#include "simt/check/instrument.h"

#include <map>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "simt/analysis/thread_calls.h"
#include "simt/check/fiber_launch.h"

// LLVM's globals define operators new and delete, which GCC 12 takes for a mismatched pair under a sanitizer.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace kmux::simt {

llvm::Constant* own_constant(llvm::Module& module, llvm::Constant* content) {
  return new llvm::GlobalVariable(module, content->getType(), /*isConstant=*/true, llvm::GlobalValue::InternalLinkage,
                                  content, "kmux.constant");
}

llvm::Constant* text_constant(llvm::Module& module, llvm::StringRef text) {
  const std::string name = ("kmux.text." + text).str();
  if (llvm::GlobalVariable* const known = module.getGlobalVariable(name, /*AllowInternal=*/true)) return known;
  llvm::Constant* const content = llvm::ConstantDataArray::getString(module.getContext(), text);
  return new llvm::GlobalVariable(module, content->getType(), /*isConstant=*/true, llvm::GlobalValue::InternalLinkage,
                                  content, name);
}

llvm::Constant* Sites::of(const llvm::Instruction& instruction) {
  llvm::LLVMContext& context = module_.getContext();
  const llvm::DILocation* place = instruction.getDebugLoc().get();
  while (place != nullptr && place->getFilename().contains(own_folder_) && place->getInlinedAt() != nullptr) {
    place = place->getInlinedAt();
  }
  if (place == nullptr || place->getLine() == 0)
    return llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0));
  const llvm::DILocation* caller = place;
  while (caller->getInlinedAt() != nullptr) caller = caller->getInlinedAt();
  const bool has_caller = file_of(*caller) != file_of(*place);
  const auto number = [&](unsigned line) { return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), line); };
  llvm::Constant* const caller_file = has_caller ? text_constant(module_, file_of(*caller))
                                                 : llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0));
  return own_constant(module_,
                      llvm::ConstantStruct::getAnon({text_constant(module_, file_of(*place)), number(place->getLine()),
                                                     caller_file, number(has_caller ? caller->getLine() : 0)}));
}

namespace {

constexpr unsigned kMaxLevels = 32;  // of additions to an address
constexpr const char* kReadMark = "kmux.read";  // marks reads of the sources
constexpr const char* kSwapMark = "kmux.swap";  // marks reads that an atomic operation repeats

/// The memory access of an instruction.
struct Touched {
  llvm::Use* address = nullptr;
  llvm::Type* type = nullptr;
  llvm::Align alignment = {};
  unsigned kind = 0;
  llvm::Value* stored = nullptr;
};

// Returns true if `load` belongs to an assignment to a bit-field: all bits but some, joined with others, are stored
// back.
bool keeps_other_bits(const llvm::LoadInst& load) {
  using namespace llvm::PatternMatch;
  if (!load.hasOneUse()) return false;
  const auto* const others = llvm::dyn_cast<llvm::Instruction>(load.user_back());
  if (others == nullptr || !others->hasOneUse() || !match(others, m_And(m_Specific(&load), m_ConstantInt())))
    return false;
  const llvm::Instruction* const joined = others->user_back();
  if (!match(joined, m_c_Or(m_Specific(others), m_Value()))) return false;
  return llvm::any_of(joined->users(), [&](const llvm::User* user) {
    return match(user, m_Store(m_Specific(joined), m_Specific(load.getPointerOperand())));
  });
}

bool is_same_place(const llvm::Value& a, const llvm::Value& b) {
  const auto* const first = llvm::dyn_cast<llvm::Instruction>(&a);
  const auto* const second = llvm::dyn_cast<llvm::Instruction>(&b);
  return &a == &b || (first != nullptr && second != nullptr && first->isIdenticalTo(second));
}

// Returns true if an atomicCAS of the same place compares with `load`. With a stale value it swaps nothing, so the read
// may be concurrent with other swaps.
bool begins_swap(const llvm::LoadInst& load) {
  llvm::SmallVector<const llvm::Value*> left{&load};
  llvm::SmallPtrSet<const llvm::Value*, 8> seen;
  while (!left.empty()) {
    const llvm::Value* const value = left.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const llvm::User* const user : value->users()) {
      const auto* const swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(user);
      if (swap != nullptr && swap->getCompareOperand() == value &&
          is_same_place(*swap->getPointerOperand(), *load.getPointerOperand()))
        return true;
      if (llvm::isa<llvm::PHINode, llvm::CastInst>(user)) left.push_back(user);
    }
  }
  return false;
}

unsigned waiting(const llvm::Instruction& access) {
  return (access.isAtomic() ? access_kind::kAtomic : 0) | (access.isVolatile() ? access_kind::kVolatile : 0);
}

unsigned kind_of(const llvm::LoadInst& load) {
  if (load.isAtomic() || load.hasMetadata(kSwapMark)) return access_kind::kRead | access_kind::kAtomic;
  const bool is_passed_on = !load.hasMetadata(kReadMark) || keeps_other_bits(load);
  return access_kind::kRead | waiting(load) | (is_passed_on ? access_kind::kPassedOn : 0);
}

Touched touched_by(llvm::Instruction& instruction) {
  if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return {&load->getOperandUse(llvm::LoadInst::getPointerOperandIndex()), load->getType(), load->getAlign(),
            kind_of(*load)};
  }
  if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return {&store->getOperandUse(llvm::StoreInst::getPointerOperandIndex()), store->getValueOperand()->getType(),
            store->getAlign(), access_kind::kWrite | waiting(*store), store->getValueOperand()};
  }
  constexpr unsigned kUpdate = access_kind::kRead | access_kind::kWrite | access_kind::kAtomic;
  if (auto* const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    return {&update->getOperandUse(llvm::AtomicRMWInst::getPointerOperandIndex()), update->getType(),
            update->getAlign(), kUpdate};
  }
  if (auto* const swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return {&swap->getOperandUse(llvm::AtomicCmpXchgInst::getPointerOperandIndex()),
            swap->getCompareOperand()->getType(), swap->getAlign(), kUpdate};
  }
  return {};
}

// Returns the size of a structure built by the launch, which the kernel copies before anything else; 0 for other
// memory.
std::uint64_t size_of_record(const llvm::Value* base) {
  const auto* const argument = llvm::dyn_cast<llvm::Argument>(base);
  return argument == nullptr ? 0 : number_of(*argument, kRecordMemory);
}

/// Inserts the calls of checks into one function.
class Instrumenter {
 public:
  Instrumenter(llvm::Function& function, llvm::StringRef own_folder)
      : function_(function),
        layout_(function.getDataLayout()),
        sites_(*function.getParent(), own_folder),
        builder_(function.getContext()) {}

  void note_record(llvm::MemTransferInst& copy);
  void visit(llvm::Instruction& instruction);

 private:
  using Value = llvm::Value;

  Value* call(const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments);
  Value* number(std::uint64_t value) { return builder_.getInt64(value); }
  Value* base_of(Value* address) { return llvm::getUnderlyingObject(address, kMaxLevels); }
  bool reads_record(const llvm::MemTransferInst& copy) { return size_of_record(base_of(copy.getRawSource())) != 0; }
  Value* alignment_for(Value* address, llvm::MaybeAlign known);
  bool stays_within(Value* address, std::uint64_t bytes);
  Value* bits_of(Value* stored, unsigned& kind);
  void check(llvm::Instruction& instruction, const Touched& touched);
  void check_copy(llvm::MemTransferInst& copy);
  void check_fill(llvm::MemSetInst& fill);

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  Sites sites_;
  llvm::IRBuilder<> builder_;
};

llvm::Value* Instrumenter::call(const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments) {
  llvm::SmallVector<llvm::Type*> types;
  for (const Value* argument : arguments) types.push_back(argument->getType());
  const auto callee = function_.getParent()->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  return builder_.CreateCall(callee, arguments);
}

std::optional<std::uint64_t> size_of_variable(const llvm::Value* base, const llvm::DataLayout& layout) {
  if (const std::uint64_t record = size_of_record(base); record != 0) return record;
  if (const auto* const own = llvm::dyn_cast<llvm::AllocaInst>(base)) {
    const auto size = own->getAllocationSize(layout);
    return size ? std::optional<std::uint64_t>(size->getFixedValue()) : std::nullopt;
  }
  const auto* const global = llvm::dyn_cast<llvm::GlobalVariable>(base);
  if (global == nullptr || global->isDeclaration()) return std::nullopt;
  return layout.getTypeAllocSize(global->getValueType()).getFixedValue();
}

bool Instrumenter::stays_within(Value* address, std::uint64_t bytes) {
  llvm::APInt offset(layout_.getIndexTypeSizeInBits(address->getType()), 0);
  const Value* const base = address->stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true);
  const auto size = size_of_variable(base, layout_);
  return size && bytes <= *size && !offset.isNegative() && offset.getZExtValue() <= *size - bytes;
}

// Returns the stored value as an integer if it is small enough to be compared with memory; else 0.
llvm::Value* Instrumenter::bits_of(Value* stored, unsigned& kind) {
  if (stored == nullptr || (kind & access_kind::kAtomic) != 0) return number(0);
  llvm::Type* const type = stored->getType();
  const std::uint64_t bits = layout_.getTypeSizeInBits(type).getFixedValue();
  if (bits > 64 || type->isAggregateType() || type->isX86_FP80Ty()) return number(0);
  if (type->isPtrOrPtrVectorTy() && !type->isPointerTy()) return number(0);
  kind |= access_kind::kHasValue;
  if (type->isPointerTy()) return builder_.CreatePtrToInt(stored, builder_.getInt64Ty());
  Value* const integer = builder_.CreateBitCast(stored, builder_.getIntNTy(static_cast<unsigned>(bits)));
  return builder_.CreateZExt(integer, builder_.getInt64Ty());
}

void Instrumenter::check(llvm::Instruction& instruction, const Touched& touched) {
  Value* const address = touched.address->get();
  const std::uint64_t bytes = layout_.getTypeStoreSize(touched.type).getFixedValue();
  if (stays_within(address, bytes)) return;
  builder_.SetInsertPoint(&instruction);
  Value* const base = base_of(address);
  llvm::Type* const ptr = builder_.getPtrTy();
  unsigned kind = touched.kind;
  if (const auto size = size_of_variable(base, layout_)) {
    touched.address->set(
        call(call::kVariable, ptr,
             {address, base, number(bytes), number(*size), builder_.getInt32(kind), sites_.of(instruction)}));
    return;
  }
  Value* const value = bits_of(touched.stored, kind);
  touched.address->set(call(call::kAccess, ptr,
                            {address, base, number(bytes), number(touched.alignment.value()), builder_.getInt32(kind),
                             value, sites_.of(instruction)}));
}

// Variables of the thread are not checked, and passing their addresses would keep them in memory.
void Instrumenter::note_record(llvm::MemTransferInst& copy) {
  const auto is_own = [](const Value* address) {
    return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address));
  };
  if (is_own(copy.getRawSource()) || reads_record(copy)) return;
  builder_.SetInsertPoint(&copy);
  Value* const to = is_own(copy.getRawDest()) ? llvm::ConstantPointerNull::get(builder_.getPtrTy()) : copy.getRawDest();
  Value* const bytes = builder_.CreateZExtOrTrunc(copy.getLength(), builder_.getInt64Ty());
  call(call::kRecord, builder_.getVoidTy(), {to, copy.getRawSource(), bytes, sites_.of(copy)});
}

// Returns the alignment to check: none for variables of the thread, which a GPU has in registers.
llvm::Value* Instrumenter::alignment_for(Value* address, llvm::MaybeAlign known) {
  return number(llvm::isa<llvm::AllocaInst>(base_of(address)) ? 1 : known.valueOrOne().value());
}

void Instrumenter::check_copy(llvm::MemTransferInst& copy) {
  if (reads_record(copy)) return;
  builder_.SetInsertPoint(&copy);
  Value* const to = copy.getRawDest();
  Value* const from = copy.getRawSource();
  Value* const bytes = builder_.CreateZExtOrTrunc(copy.getLength(), builder_.getInt64Ty());
  call(call::kCopy, builder_.getVoidTy(),
       {to, base_of(to), alignment_for(to, copy.getDestAlign()), from, base_of(from),
        alignment_for(from, copy.getSourceAlign()), bytes, sites_.of(copy)});
  copy.eraseFromParent();
}

void Instrumenter::check_fill(llvm::MemSetInst& fill) {
  builder_.SetInsertPoint(&fill);
  Value* const bytes = builder_.CreateZExtOrTrunc(fill.getLength(), builder_.getInt64Ty());
  call(call::kFill, builder_.getVoidTy(),
       {fill.getRawDest(), base_of(fill.getRawDest()), alignment_for(fill.getRawDest(), fill.getDestAlign()),
        fill.getValue(), bytes, sites_.of(fill)});
  fill.eraseFromParent();
}

bool is_met_together(const llvm::Instruction& instruction) {
  for (const std::string_view name :
       {call::kBarrier, call::kGridBarrier, call::kShuffle, call::kBallot, call::kSyncWarp}) {
    if (calls(&instruction, name)) return true;
  }
  return is_unit_call(&instruction) || is_note_call(&instruction);
}

void Instrumenter::visit(llvm::Instruction& instruction) {
  if (is_met_together(instruction)) {
    builder_.SetInsertPoint(&instruction);
    call(call::kSite, builder_.getVoidTy(), {sites_.of(instruction)});
  } else if (calls(&instruction, call::kQuotient)) {
    llvm::cast<llvm::CallInst>(instruction).setArgOperand(2, sites_.of(instruction));
  } else if (auto* const copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
    check_copy(*copy);
  } else if (auto* const fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) {
    check_fill(*fill);
  } else if (const Touched touched = touched_by(instruction); touched.address != nullptr) {
    check(instruction, touched);
  }
}

}  // namespace

void note_records(llvm::Function& function, llvm::StringRef own_folder) {
  Instrumenter instrumenter(function, own_folder);
  llvm::MDNode* const mark = llvm::MDNode::get(function.getContext(), {});
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::LoadInst>(instruction)) instruction.setMetadata(kReadMark, mark);
    if (auto* const copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) instrumenter.note_record(*copy);
  }
}

void instrument(llvm::Function& function, llvm::StringRef own_folder) {
  llvm::MDNode* const mark = llvm::MDNode::get(function.getContext(), {});
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load != nullptr && begins_swap(*load)) instruction.setMetadata(kSwapMark, mark);
  }
  Instrumenter instrumenter(function, own_folder);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    instrumenter.visit(instruction);
  }
}

}  // namespace kmux::simt

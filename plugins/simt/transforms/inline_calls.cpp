#include <algorithm>

#include "check/fiber_kernels.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "spmd/steps.h"
#include "spmd/thread_calls.h"

namespace kmux::cpu::spmd {
namespace {

constexpr std::uint64_t kSharedAlignment = 64;

llvm::Function* definition_of(const llvm::CallBase& call) {
  llvm::Function* const function = call.getCalledFunction();
  return function == nullptr || function->isDeclaration() || function->isVarArg() ? nullptr : function;
}

Error refuse(const llvm::Instruction& at, const std::string& what) {
  return make_error(ErrorCode::kUnsupported,
                    "kernel \"" + at.getFunction()->getName().str() + "\" " + what + location_of(at));
}

// Returns a call whose callee is not known before the kernel runs, or null.
const llvm::CallBase* pointer_call(const llvm::Function& kernel) {
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call != nullptr && call->getCalledFunction() == nullptr && !call->isInlineAsm()) return call;
  }
  return nullptr;
}

Status check_pointers(const llvm::Function& kernel) {
  const llvm::CallBase* const call = pointer_call(kernel);
  if (call == nullptr) return Ok{};
  return refuse(*call, "calls a function through a pointer, whose threads cannot run together. Call it by its name");
}

// Refuses arrays of dynamic size: each thread may choose another size.
Status check_arrays(const llvm::Function& kernel) {
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const auto* const array = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (array == nullptr || array->isStaticAlloca()) continue;
    return refuse(
        *array,
        "has an array whose size is chosen while it runs (alloca), whose threads cannot run together. Give it a size");
  }
  return Ok{};
}

using Functions = llvm::DenseSet<const llvm::Function*>;

// Returns the call that leads from `function` or its callees back to a function on `way`; null if none does. Visits
// each function once.
const llvm::CallBase* recursion_in(const llvm::Function& function, Functions& way, Functions& seen) {
  if (!seen.insert(&function).second) return nullptr;
  way.insert(&function);
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* const called = call == nullptr ? nullptr : definition_of(*call);
    if (called == nullptr) continue;
    if (way.contains(called)) return call;
    if (const llvm::CallBase* const found = recursion_in(*called, way, seen)) return found;
  }
  way.erase(&function);
  return nullptr;
}

Status check_recursion(const llvm::Function& kernel) {
  Functions way, seen;
  const llvm::CallBase* const call = recursion_in(kernel, way, seen);
  if (call == nullptr) return Ok{};
  return make_error(ErrorCode::kUnsupported, "kernel \"" + kernel.getName().str() + "\" calls \"" +
                                                 llvm::demangle(definition_of(*call)->getName().str()) +
                                                 "\", which calls itself. Write it as a loop" + location_of(*call));
}

using Calls = llvm::SmallVector<llvm::WeakTrackingVH>;

// Returns the calls of functions with a body, in reverse order.
Calls calls_in(llvm::Function& function) {
  Calls calls;
  for (llvm::Instruction& one : llvm::instructions(function)) {
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&one);
    if (call != nullptr && definition_of(*call) != nullptr) calls.emplace_back(&one);
  }
  std::reverse(calls.begin(), calls.end());
  return calls;
}

Status inline_calls(llvm::Function& kernel) {
  Calls left = calls_in(kernel);
  while (!left.empty()) {
    auto* const call = llvm::dyn_cast_or_null<llvm::CallBase>(static_cast<llvm::Value*>(left.pop_back_val()));
    if (call == nullptr || definition_of(*call) == nullptr) continue;
    llvm::InlineFunctionInfo info;
    const llvm::InlineResult done = llvm::InlineFunction(*call, info);
    if (!done.isSuccess()) {
      return refuse(*call, "calls \"" + llvm::demangle(definition_of(*call)->getName().str()) +
                               "\", which cannot become part of it (" + done.getFailureReason() + "). Simplify it");
    }
    for (llvm::CallBase* const more : llvm::reverse(info.InlinedCallSites)) left.emplace_back(more);
  }
  return Ok{};
}

void leave_memory(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.run(kernel, analyses);
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
}

// Promotes memory to scalars: function arguments are then known where they are called.
void resolve_pointers(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.run(kernel, analyses);
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
}

}  // namespace

bool is_shared_note(const llvm::Constant& text) {
  const auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(text.stripPointerCasts());
  const auto* const data =
      variable == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantDataArray>(variable->getInitializer());
  return data != nullptr && data->isCString() && data->getAsCString() == "kmux.shared";
}

namespace {

// Returns the variable that `instruction`, an annotation, marks as shared, or null.
llvm::AllocaInst* shared_variable(const llvm::Instruction& instruction) {
  const auto* const note = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (note == nullptr || note->getIntrinsicID() != llvm::Intrinsic::var_annotation) return nullptr;
  const auto* const text = llvm::dyn_cast<llvm::Constant>(note->getArgOperand(1));
  if (text == nullptr || !is_shared_note(*text)) return nullptr;
  return llvm::dyn_cast<llvm::AllocaInst>(note->getArgOperand(0)->stripPointerCasts());
}

}  // namespace

std::vector<llvm::AllocaInst*> shared_variables(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* const marked = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (marked != nullptr && marked->hasMetadata(kSharedMark)) variables.push_back(marked);
    llvm::AllocaInst* const noted = shared_variable(instruction);
    if (noted != nullptr && !noted->hasMetadata(kSharedMark)) variables.push_back(noted);
  }
  return variables;
}

void erase_notes(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const auto* const note = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (note == nullptr) continue;
    if (note->getIntrinsicID() == llvm::Intrinsic::var_annotation || note->isLifetimeStartOrEnd()) {
      instruction.eraseFromParent();
    }
  }
}

namespace {

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
}

// Marks each shared variable of `function` with a separate node, by which its inlined copies are known as one variable.
void mark_shared(llvm::Function& function) {
  for (llvm::AllocaInst* const variable : shared_variables(function)) {
    if (variable->hasMetadata(kSharedMark)) continue;
    variable->setMetadata(kSharedMark, llvm::MDNode::getDistinct(function.getContext(), {}));
  }
}

// Returns the insertion point after the variables of `kernel`. These must stay in the entry block to become scalars.
llvm::Instruction* behind_variables(llvm::Function& kernel) {
  return &*kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
}

/// The static shared memory of a kernel: a place for each variable of the source, however often its function is called.
class SharedPlaces {
 public:
  std::uint64_t bytes() const { return bytes_; }

  /// Replaces the shared variables of `kernel` by calls that return their places.
  void place(llvm::Function& kernel) {
    const std::vector<llvm::AllocaInst*> variables = shared_variables(kernel);
    erase_notes(kernel);
    for (llvm::AllocaInst* const variable : variables) {
      llvm::IRBuilder<> builder(behind_variables(kernel));
      llvm::Value* const offset = builder.getInt64(offset_of(*variable, kernel.getDataLayout()));
      variable->replaceAllUsesWith(make_call(builder, call::kShared, builder.getPtrTy(), offset));
      variable->eraseFromParent();
    }
  }

 private:
  std::uint64_t offset_of(const llvm::AllocaInst& variable, const llvm::DataLayout& layout) {
    const auto [known, is_new] = offsets_.try_emplace(variable.getMetadata(kSharedMark), bytes_);
    if (is_new) bytes_ = aligned(bytes_ + *variable.getAllocationSize(layout));
    return known->second;
  }

  llvm::DenseMap<const llvm::MDNode*, std::uint64_t> offsets_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

// An array without extent and definition is the dynamic shared memory, which has one address whatever its names.
void place_dynamic(llvm::Function& kernel) {
  for (llvm::GlobalVariable& variable : kernel.getParent()->globals()) {
    const auto* const type = llvm::dyn_cast<llvm::ArrayType>(variable.getValueType());
    if (!variable.isDeclaration() || type == nullptr || type->getNumElements() != 0) continue;
    llvm::convertUsersOfConstantsToInstructions(&variable, &kernel);
    llvm::IRBuilder<> builder(behind_variables(kernel));
    llvm::CallInst* const place = make_call(builder, call::kDynamic, builder.getPtrTy());
    variable.replaceUsesWithIf(place, [&](const llvm::Use& use) {
      const auto* const user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      return user != nullptr && user->getFunction() == &kernel;
    });
    if (place->use_empty()) place->eraseFromParent();
  }
}

unsigned seen_warp(const llvm::Function& kernel) {
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    for (const std::string_view name : {call::kShuffle, call::kBallot, call::kLane, call::kSyncWarp}) {
      if (!calls(&instruction, name)) continue;
      const llvm::StringRef whole = llvm::cast<llvm::CallInst>(instruction).getCalledFunction()->getName();
      return whole.ends_with(call::kOfWideWarp) ? 64 : 32;
    }
  }
  return 0;
}

// Lanes of a warp run in lockstep: they need neither masks of participants nor waits.
void erase_meetings(llvm::Function& kernel) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    if (calls(&instruction, call::kParticipants) || calls(&instruction, call::kSyncWarp)) instruction.eraseFromParent();
  }
}

Result<std::uint64_t> join_calls(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  SharedPlaces shared;
  llvm::Function* const whole[] = {&kernel};
  for (llvm::Function* const function : functions_of(whole)) mark_shared(*function);
  KMUX_TRY(check_recursion(kernel));
  KMUX_TRY(inline_calls(kernel));
  shared.place(kernel);
  if (pointer_call(kernel) != nullptr) {
    resolve_pointers(kernel, analyses);
    KMUX_TRY(check_recursion(kernel));
    KMUX_TRY(inline_calls(kernel));
    shared.place(kernel);
  }
  KMUX_TRY(check_pointers(kernel));
  KMUX_TRY(check_arrays(kernel));
  for (const llvm::Function* const function : functions_of(whole)) KMUX_TRY(check_text(*function));
  place_dynamic(kernel);
  leave_memory(kernel, analyses);
  return shared.bytes();
}

namespace {

// Returns the index of the warp in dimension `i`: threadIdx of its first thread divided by the warp's extent. It is 0
// where the block is one warp wide.
llvm::Value* warp_index(llvm::IRBuilder<>& builder, const BlockShape& shape, unsigned i) {
  if (shape.order == BlockShape::Order::kRows && (*shape.extents)[i] == (i == 0 ? shape.lanes : 1))
    return builder.getInt32(0);
  return make_call(builder, call::kWarp[i], builder.getInt32Ty(), {builder.getInt32(0)});
}

// Returns the index of the thread in the block, or in its row if a warp lies in one.
llvm::Value* linear_index(llvm::IRBuilder<>& builder, const BlockShape& shape) {
  llvm::Type* const i32 = builder.getInt32Ty();
  llvm::Value* const first =
      builder.CreateShl(warp_index(builder, shape, 0), llvm::Log2_32(shape.lanes), "", true, true);
  return builder.CreateAdd(first, make_call(builder, call::kLane, i32), "thread", true, true);
}

std::array<llvm::Value*, 3> thread_index(llvm::IRBuilder<>& builder, const BlockShape& shape, llvm::Value* index) {
  llvm::Type* const i32 = builder.getInt32Ty();
  if (shape.order == BlockShape::Order::kRows) {
    return {index, warp_index(builder, shape, 1), warp_index(builder, shape, 2)};
  }
  if (shape.order == BlockShape::Order::kLine) return {index, builder.getInt32(0), builder.getInt32(0)};
  llvm::Value* const x = make_call(builder, call::kBlockDim[0], i32);
  llvm::Value* const y = make_call(builder, call::kBlockDim[1], i32);
  llvm::Value* const row = builder.CreateUDiv(index, x);
  return {builder.CreateURem(index, x), builder.CreateURem(row, y), builder.CreateUDiv(row, y)};
}

// Runs `body` only for the threads that the block has.
void guard(llvm::IRBuilder<>& builder, llvm::BasicBlock* body, llvm::Value* index) {
  llvm::Type* const i32 = builder.getInt32Ty();
  llvm::Value* count = builder.getInt32(1);
  for (const std::string_view name : call::kBlockDim) count = builder.CreateMul(count, make_call(builder, name, i32));
  llvm::BasicBlock* const none = llvm::BasicBlock::Create(builder.getContext(), "none", body->getParent());
  llvm::ReturnInst::Create(builder.getContext(), none);
  llvm::Instruction* const end = &*builder.GetInsertPoint();
  builder.CreateCondBr(builder.CreateICmpULT(index, count), body, none);
  end->eraseFromParent();
}

}  // namespace

void place_threads(llvm::Function& kernel, const BlockShape& shape) {
  llvm::BasicBlock& entry = kernel.getEntryBlock();
  llvm::BasicBlock* const body = llvm::SplitBlock(&entry, &*entry.getFirstNonPHIOrDbgOrAlloca());
  llvm::IRBuilder<> builder(entry.getTerminator());
  llvm::Value* const linear = linear_index(builder, shape);
  const std::array<llvm::Value*, 3> index = thread_index(builder, shape, linear);
  for (unsigned i = 0; i < 3; ++i) replace_calls(kernel, call::kThread[i], index[i]);
  if (!shape.is_whole()) guard(builder, body, linear);
  if (!shape.extents) return;
  for (unsigned i = 0; i < 3; ++i) replace_calls(kernel, call::kBlockDim[i], builder.getInt32((*shape.extents)[i]));
}

namespace {

// Returns the variables that annotations of the module mark as shared: those at namespace scope, and static ones in
// functions.
std::vector<llvm::GlobalVariable*> shared_globals(const llvm::GlobalVariable& notes) {
  std::vector<llvm::GlobalVariable*> found;
  for (const llvm::Use& note : llvm::cast<llvm::ConstantArray>(notes.getInitializer())->operands()) {
    const auto* const record = llvm::cast<llvm::ConstantStruct>(note.get());
    auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(record->getOperand(0)->stripPointerCasts());
    if (variable != nullptr && !variable->isDeclaration() && is_shared_note(*record->getOperand(1))) {
      found.push_back(variable);
    }
  }
  return found;
}

// Gives each function that uses `global` a separate variable for it. By their common mark, these are one variable.
void move_into_functions(llvm::GlobalVariable& global) {
  llvm::convertUsersOfConstantsToInstructions(&global);
  llvm::Metadata* const name = llvm::MDString::get(global.getContext(), llvm::demangle(global.getName().str()));
  llvm::MDNode* const mark = llvm::MDNode::getDistinct(global.getContext(), name);
  llvm::DenseMap<llvm::Function*, llvm::AllocaInst*> own;
  for (llvm::Use& use : llvm::make_early_inc_range(global.uses())) {
    auto* const user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (user == nullptr) continue;
    llvm::AllocaInst*& variable = own[user->getFunction()];
    if (variable == nullptr) {
      llvm::IRBuilder<> builder(&*user->getFunction()->getEntryBlock().begin());
      variable = builder.CreateAlloca(global.getValueType());
      variable->setAlignment(global.getAlign().valueOrOne());
      variable->setMetadata(kSharedMark, mark);
    }
    use.set(variable);
  }
  if (global.use_empty()) global.eraseFromParent();
}

}  // namespace

void place_shared_globals(llvm::Module& module) {
  llvm::GlobalVariable* const notes = module.getGlobalVariable("llvm.global.annotations");
  if (notes == nullptr) return;
  const std::vector<llvm::GlobalVariable*> variables = shared_globals(*notes);
  notes->eraseFromParent();  // they refer to the variables and have no other readers
  for (llvm::GlobalVariable* const variable : variables) move_into_functions(*variable);
}

}  // namespace kmux::cpu::spmd

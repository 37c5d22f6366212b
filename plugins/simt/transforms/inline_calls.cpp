#include "simt/transforms/inline_calls.h"

#include <algorithm>

#include "llvm/ADT/DenseSet.h"
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
#include "simt/analysis/call_graph.h"
#include "simt/analysis/demangled.h"
#include "simt/analysis/refusals.h"
#include "simt/analysis/thread_calls.h"
#include "simt/transforms/defined_arithmetic.h"
#include "simt/transforms/shared_variables.h"

namespace kmux::simt {
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
                                                 demangled(definition_of(*call)->getName()) +
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

Status inline_defined(llvm::Function& kernel) {
  Calls left = calls_in(kernel);
  while (!left.empty()) {
    auto* const call = llvm::dyn_cast_or_null<llvm::CallBase>(static_cast<llvm::Value*>(left.pop_back_val()));
    if (call == nullptr || definition_of(*call) == nullptr) continue;
    llvm::InlineFunctionInfo info;
    const llvm::InlineResult done = llvm::InlineFunction(*call, info);
    if (!done.isSuccess()) {
      return refuse(*call, "calls \"" + demangled(definition_of(*call)->getName()) +
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

/// The static shared memory of a kernel: a place for each variable of the source, however often its function is called.
class SharedPlaces {
 public:
  std::uint64_t bytes() const { return bytes_; }

  /// Replaces the shared variables of `kernel` by calls that return their places.
  void place(llvm::Function& kernel) {
    const std::vector<llvm::AllocaInst*> variables = shared_variables(kernel);
    erase_annotations(kernel);
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

Result<std::uint64_t> inline_calls(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  SharedPlaces shared;
  llvm::Function* const whole[] = {&kernel};
  for (llvm::Function* const function : functions_of(whole)) mark_shared(*function);
  KMUX_TRY(check_recursion(kernel));
  KMUX_TRY(inline_defined(kernel));
  shared.place(kernel);
  if (pointer_call(kernel) != nullptr) {
    resolve_pointers(kernel, analyses);
    KMUX_TRY(check_recursion(kernel));
    KMUX_TRY(inline_defined(kernel));
    shared.place(kernel);
  }
  KMUX_TRY(check_pointers(kernel));
  KMUX_TRY(check_arrays(kernel));
  for (const llvm::Function* const function : functions_of(whole)) KMUX_TRY(check_text(*function));
  place_dynamic(kernel);
  leave_memory(kernel, analyses);
  reveal_divisors(kernel);
  return shared.bytes();
}

}  // namespace kmux::simt

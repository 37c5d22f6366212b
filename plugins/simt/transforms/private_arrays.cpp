// Private arrays that are too large for the stack of the launching thread.
#include "simt/transforms/private_arrays.h"

#include <algorithm>
#include <vector>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "simt/analysis/call_graph.h"
#include "simt/analysis/demangled.h"
#include "simt/analysis/names.h"
#include "simt/transforms/shared_variables.h"

// LLVM's globals define operators new and delete, which GCC 12 takes for a mismatched pair under a sanitizer.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace kmux::simt {
namespace {

constexpr std::uint64_t kMaxOnStack = 8 << 10;  // of the variables of a function
constexpr std::uint64_t kMaxThreadBytes = 512 << 10;  // of local memory, as in CUDA
constexpr std::uint64_t kMinArray = 1 << 10;  // smaller ones are not counted
constexpr std::uint64_t kPrivateLine = 64;

// The indices of fields of kmux_cpu_kernel (runtime/launch.h) and kmux_cpu_fiber_kernel (check/fiber_launch.h).
constexpr unsigned kBlocksField = 0;
constexpr unsigned kCooperativeField = 4;
constexpr unsigned kPrivateLinesField = 6;
constexpr unsigned kArrayBytesField = 7;

std::uint64_t bytes_of(const llvm::AllocaInst& variable) {
  return variable.getAllocationSize(variable.getDataLayout())->getFixedValue();
}

// Returns the variables of known size, the largest first.
std::vector<llvm::AllocaInst*> variables_of(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> found;
  for (llvm::Instruction& one : llvm::instructions(function)) {
    auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(&one);
    if (variable != nullptr && variable->isStaticAlloca()) found.push_back(variable);
  }
  std::ranges::stable_sort(found, [](auto* a, auto* b) { return bytes_of(*a) > bytes_of(*b); });
  return found;
}

// Returns the largest variables of `function`, so many that the others fit on a stack.
std::vector<llvm::AllocaInst*> large_variables(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> variables = variables_of(function);
  std::uint64_t left = 0;
  for (const llvm::AllocaInst* const one : variables) left += bytes_of(*one);
  std::size_t count = 0;
  while (left > kMaxOnStack) left -= bytes_of(*variables[count++]);
  variables.resize(count);
  return variables;
}

void erase_lives(llvm::AllocaInst& variable) {
  for (llvm::User* const user : llvm::make_early_inc_range(variable.users())) {
    auto* const mark = llvm::dyn_cast<llvm::IntrinsicInst>(user);
    if (mark != nullptr && mark->isLifetimeStartOrEnd()) mark->eraseFromParent();
  }
}

// Removes attributes that were inferred for the parameter before private memory preceded it: the code generator must
// not use them.
void forget_uses(llvm::Function& blocks) {
  blocks.removeFnAttr(llvm::Attribute::Memory);
  for (const auto kind : {llvm::Attribute::ReadNone, llvm::Attribute::ReadOnly, llvm::Attribute::WriteOnly}) {
    blocks.removeParamAttr(4, kind);
  }
}

// Moves `variables` of `blocks` before the memory of its block. Returns the bytes that they need there.
std::uint64_t move_before_memory(llvm::Function& blocks, const std::vector<llvm::AllocaInst*>& variables) {
  llvm::Align align(kPrivateLine);
  std::uint64_t bytes = 0;
  for (const llvm::AllocaInst* const one : variables) {
    align = std::max(align, one->getAlign());
    bytes = llvm::alignTo(bytes, std::max(llvm::Align(kPrivateLine), one->getAlign())) + bytes_of(*one);
  }
  bytes = llvm::alignTo(bytes, kPrivateLine) + align.value() - kPrivateLine;
  llvm::IRBuilder<> builder(&*blocks.getEntryBlock().begin());
  llvm::Type* const i8 = builder.getInt8Ty();
  llvm::Type* const i64 = builder.getInt64Ty();
  llvm::Value* begin = builder.CreateGEP(i8, blocks.getArg(4), builder.getInt64(align.value() - kPrivateLine - bytes));
  if (align.value() > kPrivateLine) {
    llvm::Constant* const whole = llvm::ConstantInt::get(i64, ~(align.value() - 1));
    begin = builder.CreateIntrinsic(llvm::Intrinsic::ptrmask, {begin->getType(), i64}, {begin, whole});
  }
  std::uint64_t offset = 0;
  for (llvm::AllocaInst* const one : variables) {
    offset = llvm::alignTo(offset, std::max(llvm::Align(kPrivateLine), one->getAlign()));
    erase_lives(*one);
    one->replaceAllUsesWith(builder.CreateConstGEP1_64(i8, begin, offset));
    offset += bytes_of(*one);
  }
  for (llvm::AllocaInst* const one : variables) one->eraseFromParent();  // the builder's insertion point is one of them
  forget_uses(blocks);
  return bytes;
}

void set_field(llvm::GlobalVariable& facts, unsigned field, std::uint64_t value) {
  const auto* const known = llvm::cast<llvm::ConstantStruct>(facts.getInitializer());
  llvm::SmallVector<llvm::Constant*> fields;
  for (const llvm::Use& one : known->operands()) fields.push_back(llvm::cast<llvm::Constant>(one));
  fields[field] = llvm::ConstantInt::get(fields[field]->getType(), value);
  facts.setInitializer(llvm::ConstantStruct::get(known->getType(), fields));
}

// Skips cooperative kernels: all threads of such a launch have one memory, and a block's variables are in its frames.
void move_arrays(llvm::GlobalVariable& facts) {
  const auto* const known = llvm::cast<llvm::ConstantStruct>(facts.getInitializer());
  auto* const blocks = llvm::cast<llvm::Function>(known->getOperand(kBlocksField));
  if (!known->getOperand(kCooperativeField)->isNullValue()) return;
  const std::vector<llvm::AllocaInst*> variables = large_variables(*blocks);
  if (!variables.empty()) set_field(facts, kPrivateLinesField, move_before_memory(*blocks, variables) / kPrivateLine);
}

// Returns the stack bytes of all functions of `module`, each once; an array of dynamic size counts as the largest
// possible.
std::uint64_t array_bytes(llvm::Module& module) {
  std::uint64_t bytes = 0;
  bool any_is_dynamic = false;
  for (llvm::Function& function : module) {
    for (const llvm::AllocaInst* const one : variables_of(function)) bytes += bytes_of(*one);
    any_is_dynamic = any_is_dynamic || has_dynamic_array(function);
  }
  return bytes + (any_is_dynamic ? kMaxThreadBytes : 0);
}

std::uint64_t array_bytes_of_thread(llvm::Function& function) {
  const std::vector<llvm::AllocaInst*> shared = shared_variables(function);
  std::uint64_t bytes = 0;
  for (llvm::AllocaInst* const one : variables_of(function)) {
    if (bytes_of(*one) >= kMinArray && !llvm::is_contained(shared, one)) bytes += bytes_of(*one);
  }
  return bytes;
}

}  // namespace

bool has_dynamic_array(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& one) {
    const auto* const array = llvm::dyn_cast<llvm::AllocaInst>(&one);
    return array != nullptr && !array->isStaticAlloca();
  });
}

Status check_private_arrays(llvm::Function& kernel) {
  llvm::Function* const whole[] = {&kernel};
  for (llvm::Function* const function : functions_of(whole)) {
    const std::uint64_t bytes = array_bytes_of_thread(*function);
    if (bytes <= kMaxThreadBytes) continue;
    const std::string where = function == &kernel ? "" : ", in function \"" + demangled(function->getName()) + "\"";
    return make_error(ErrorCode::kUnsupported,
                      "kernel \"" + kernel.getName().str() + "\" has arrays of " + std::to_string(bytes) +
                          " bytes for each thread" + where +
                          " (there are 524288 bytes, as on a GPU). Use smaller ones, or memory "
                          "of a tensor or workspace.");
  }
  return Ok{};
}

llvm::PreservedAnalyses PrivateArraysPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  std::vector<llvm::GlobalVariable*> of_blocks, of_fibers;
  for (llvm::GlobalVariable& one : module.globals()) {
    if (!one.hasInitializer() || !llvm::isa<llvm::ConstantStruct>(one.getInitializer())) continue;
    if (one.getName().ends_with(kFactsOfBlocks)) of_blocks.push_back(&one);
    if (one.getName().ends_with(kFactsOfFibers)) of_fibers.push_back(&one);
  }
  for (llvm::GlobalVariable* const one : of_blocks) move_arrays(*one);
  if (of_fibers.empty()) return llvm::PreservedAnalyses::none();
  const std::uint64_t bytes = array_bytes(module);  // of all functions: the same for every kernel
  for (llvm::GlobalVariable* const one : of_fibers) set_field(*one, kArrayBytesField, bytes);
  return llvm::PreservedAnalyses::none();
}

}  // namespace kmux::simt

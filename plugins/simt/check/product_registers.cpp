#include "simt/check/product_registers.h"

#include <algorithm>
#include <set>
#include <vector>

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "simt/analysis/thread_calls.h"
#include "simt/check/flat_copy.h"
#include "simt/check/instrument.h"

namespace kmux::simt {
namespace {

using RegisterInstructions = llvm::SmallSetVector<const llvm::Instruction*, 16>;
using RegisterValues = llvm::SmallSetVector<const llvm::Value*, 16>;

constexpr unsigned kSumsOperand = 1, kAOperand = 2;  // of the call of a product: where its registers are
constexpr unsigned kMaxCommits = 8;  // wgmma.wait_group counts as many groups as PTX allows

constexpr const char* kProducts[] = {"kmux.unit.wgmma", "kmux.unit.wgmma_sparse"};

bool is_product(const llvm::Instruction& one) {
  return std::ranges::any_of(kProducts, [&](const char* name) { return calls(&one, name); });
}

const llvm::Value* memory_of(const llvm::Instruction& product, unsigned operand) {
  return llvm::getUnderlyingObject(llvm::cast<llvm::CallInst>(product).getArgOperand(operand));
}

bool is_call_with(const llvm::Instruction& one, const llvm::Value* memory) {
  if (!is_product(one)) return false;
  return memory_of(one, kSumsOperand) == memory || memory_of(one, kAOperand) == memory;
}

// Returns the registers that `product` writes: the values read behind it from the memory of its sums.
RegisterValues results_of(const llvm::Instruction& product) {
  const llvm::Value* const memory = memory_of(product, kSumsOperand);
  RegisterValues found;
  for (const llvm::Instruction* one = product.getNextNode(); one != nullptr; one = one->getNextNode()) {
    if (is_call_with(*one, memory)) break;
    const auto* const load = llvm::dyn_cast<llvm::LoadInst>(one);
    if (load != nullptr && llvm::getUnderlyingObject(load->getPointerOperand()) == memory) found.insert(load);
  }
  return found;
}

// Returns the registers that `product` reads from operand `operand`: the values written before it to its memory.
RegisterValues operands_of(const llvm::Instruction& product, unsigned operand) {
  const llvm::Value* const memory = memory_of(product, operand);
  RegisterValues found;
  for (const llvm::Instruction* one = product.getPrevNode(); one != nullptr; one = one->getPrevNode()) {
    if (is_call_with(*one, memory)) break;
    const auto* const store = llvm::dyn_cast<llvm::StoreInst>(one);
    if (store != nullptr && llvm::getUnderlyingObject(store->getPointerOperand()) == memory)
      found.insert(store->getValueOperand());
  }
  return found;
}

// Returns true for an instruction by which LLVM joins the registers of an array to wider numbers, and takes them apart.
bool joins_bits(const llvm::Instruction& one) {
  switch (one.getOpcode()) {
    case llvm::Instruction::ZExt:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::Or:
      return true;
    case llvm::Instruction::And:
    case llvm::Instruction::Shl:
    case llvm::Instruction::LShr:
      return llvm::isa<llvm::Constant>(one.getOperand(1));
    default:
      return false;
  }
}

// Returns true for an instruction that names registers again, and executes nothing.
bool is_move(const llvm::Value* value) {
  const auto* const one = llvm::dyn_cast<llvm::Instruction>(value);
  if (one == nullptr) return false;
  return joins_bits(*one) ||
         llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::BitCastInst, llvm::FreezeInst, llvm::ExtractValueInst,
                   llvm::InsertValueInst, llvm::ExtractElementInst, llvm::InsertElementInst, llvm::ShuffleVectorInst>(
             one);
}

/// The products of a kernel, and the memory of their registers.
class Products {
 public:
  explicit Products(const llvm::Function& kernel) {
    for (const llvm::Instruction& one : llvm::instructions(kernel)) {
      if (!is_product(one)) continue;
      all_.push_back(&one);
      factors_.insert(memory_of(one, kAOperand));
    }
  }

  const std::vector<const llvm::Instruction*>& all() const { return all_; }

  /// Returns the instructions that read results of `product`, other than later products that add to them.
  RegisterInstructions uses_of(const llvm::Instruction& product) const {
    RegisterValues values = results_of(product);
    RegisterInstructions found;
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (const llvm::User* const user : values[i]->users()) {
        if (is_move(user)) {
          values.insert(user);
        } else if (!is_kept(*user)) {
          found.insert(llvm::cast<llvm::Instruction>(user));
        }
      }
    }
    return found;
  }

  /// Returns the instructions that write the registers that `product` reads, other than earlier products.
  RegisterInstructions writes_for(const llvm::Instruction& product) const {
    RegisterValues values = operands_of(product, kSumsOperand);
    for (const llvm::Value* const value : operands_of(product, kAOperand)) values.insert(value);
    RegisterInstructions found;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto* const one = llvm::dyn_cast<llvm::Instruction>(values[i]);
      if (one == nullptr) continue;
      if (is_move(one)) {
        for (const llvm::Value* const operand : one->operands()) values.insert(operand);
      } else if (!is_result(*one)) {
        found.insert(one);
      }
    }
    return found;
  }

 private:
  // Returns true for writes to the memory of sums, which products add to, and of variables.
  bool is_kept(const llvm::User& user) const {
    const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&user);
    if (store == nullptr) return false;
    const llvm::Value* const memory = llvm::getUnderlyingObject(store->getPointerOperand());
    return llvm::isa<llvm::AllocaInst>(memory) && !factors_.contains(memory);
  }
  // Returns true for a result of a product, and for a variable that has stayed in memory, whose last write is not known.
  static bool is_result(const llvm::Instruction& one) {
    const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&one);
    return load != nullptr && llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(load->getPointerOperand()));
  }

  std::vector<const llvm::Instruction*> all_;
  RegisterValues factors_;
};

// Returns how many groups a wgmma.wait_group leaves, or -1 for other instructions.
int groups_left(const llvm::Instruction& one) {
  if (!calls(&one, "kmux.note.wgmma_wait")) return -1;
  const auto* const left = llvm::dyn_cast<llvm::ConstantInt>(llvm::cast<llvm::CallInst>(one).getArgOperand(0));
  return left == nullptr ? 0 : static_cast<int>(left->getZExtValue());
}

/// How a path from a product ends in a block.
struct PathEnd {
  bool is_covered = false;  // by a wgmma.wait_group, or its next round, which has other results
  const llvm::Instruction* use = nullptr;
};

// Follows a path from `product` through the instructions from `one` to the end of its block. Counts its commits.
PathEnd follow(const llvm::Instruction* one, const llvm::Instruction& product, const RegisterInstructions& uses,
               unsigned& commits) {
  for (; one != nullptr; one = one->getNextNode()) {
    if (one == &product) return {.is_covered = true};
    if (uses.contains(one)) return {.use = one};
    if (calls(one, "kmux.note.wgmma_commit")) commits = std::min(commits + 1, kMaxCommits);
    const int kept = groups_left(*one);
    if (kept >= 0 && static_cast<unsigned>(kept) < commits) return {.is_covered = true};
  }
  return {};
}

// Returns the first of `uses` on a path from `product` on which no wgmma.wait_group covers its group; null if none is.
const llvm::Instruction* early_use(const llvm::Instruction& product, const RegisterInstructions& uses) {
  std::set<std::pair<const llvm::BasicBlock*, unsigned>> seen;
  std::vector<std::pair<const llvm::Instruction*, unsigned>> left{{product.getNextNode(), 0}};
  while (!left.empty()) {
    auto [one, commits] = left.back();
    left.pop_back();
    const PathEnd end = follow(one, product, uses, commits);
    if (end.use != nullptr) return end.use;
    if (end.is_covered) continue;
    for (const llvm::BasicBlock* const next : llvm::successors(one->getParent())) {
      if (seen.emplace(next, commits).second) left.emplace_back(&next->front(), commits);
    }
  }
  return nullptr;
}

/// A write of registers before a product with no wgmma.fence between.
struct LateWrite {
  bool is_found = false;
  const llvm::Instruction* write = nullptr;  // null: no fence since the kernel began
};

// Returns the last fence or write before the end of a block, which is at `one` or behind; null if there is none.
const llvm::Instruction* last_event(const llvm::Instruction* one, const RegisterInstructions& writes) {
  while (one != nullptr && !writes.contains(one) && !calls(one, "kmux.note.wgmma_fence")) one = one->getPrevNode();
  return one;
}

LateWrite late_write(const llvm::Instruction& product, const RegisterInstructions& writes) {
  std::set<const llvm::BasicBlock*> seen;
  std::vector<std::pair<const llvm::BasicBlock*, const llvm::Instruction*>> left{
      {product.getParent(), product.getPrevNode()}};
  LateWrite found;
  while (!left.empty()) {
    const auto [block, end] = left.back();
    left.pop_back();
    const llvm::Instruction* const event = last_event(end, writes);
    if (event != nullptr && writes.contains(event)) return {true, event};
    if (event != nullptr) continue;
    found.is_found = found.is_found || block->isEntryBlock();
    for (const llvm::BasicBlock* const before : llvm::predecessors(block)) {
      if (seen.insert(before).second) left.emplace_back(before, &before->back());
    }
  }
  return found;
}

/// Inserts the findings of a kernel into it.
class Reporter {
 public:
  Reporter(llvm::Function& kernel, llvm::StringRef own_folder)
      : sites_(*kernel.getParent(), own_folder), builder_(&*kernel.getEntryBlock().getFirstInsertionPt()) {
    builder_.SetCurrentDebugLocation({});
  }

  void add(bool is_early_use, const llvm::Instruction& product, const llvm::Instruction* other) {
    if (!told_.emplace(is_early_use, product.getDebugLoc().get()).second) return;  // a round of an unrolled loop
    llvm::Module& module = *builder_.GetInsertBlock()->getModule();
    llvm::Type* const ptr = builder_.getPtrTy();
    const auto registers = module.getOrInsertFunction(
        call::kRegisters, llvm::FunctionType::get(builder_.getVoidTy(), {builder_.getInt32Ty(), ptr, ptr}, false));
    llvm::Constant* const place =
        other == nullptr ? llvm::ConstantPointerNull::get(builder_.getPtrTy()) : sites_.of(*other);
    builder_.CreateCall(registers, {builder_.getInt32(is_early_use ? 1 : 0), sites_.of(product), place});
  }

 private:
  Sites sites_;
  llvm::IRBuilder<> builder_;
  std::set<std::pair<bool, const llvm::DILocation*>> told_;
};

void check_kernel(llvm::Function& kernel, const llvm::Function& flat, llvm::StringRef own_folder) {
  const Products products(flat);
  Reporter reporter(kernel, own_folder);
  for (const llvm::Instruction* const product : products.all()) {
    if (const auto* const use = early_use(*product, products.uses_of(*product))) reporter.add(true, *product, use);
    const LateWrite late = late_write(*product, products.writes_for(*product));
    if (late.is_found) reporter.add(false, *product, late.write);
  }
}

}  // namespace

void check_product_registers(std::span<llvm::Function* const> kernels, llvm::StringRef own_folder) {
  llvm::Module& module = *kernels.front()->getParent();
  if (std::ranges::none_of(kProducts, [&](const char* name) { return module.getFunction(name) != nullptr; })) return;
  const std::unique_ptr<llvm::Module> flat = flat_copy(module, kernels);
  for (llvm::Function* const kernel : kernels) check_kernel(*kernel, *flat->getFunction(kernel->getName()), own_folder);
}

}  // namespace kmux::simt

#include "simt/transforms/shared_forwarding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "simt/analysis/grid_rows.h"
#include "simt/analysis/thread_calls.h"
#include "simt/analysis/warp_index.h"

namespace kmux::simt {
namespace {

/// The rows of shared memory stored so far, in a block whose warps all run in lockstep. Its memory is accessed in the
/// order of the code.
class StoredRows {
 public:
  explicit StoredRows(const llvm::DataLayout& layout) : layout_(layout) {}
  /// Steps past `one`. Replaces its loads by the stored values.
  void pass(llvm::Instruction& one);

 private:
  std::optional<std::uint64_t> place(const llvm::Value* address) const;
  void store(llvm::StoreInst& store, std::uint64_t place);

  const llvm::DataLayout& layout_;
  std::map<std::uint64_t, llvm::StoreInst*> rows_;  // by place
};

// Returns the offset of `address` in the shared memory, if it is known.
std::optional<std::uint64_t> StoredRows::place(const llvm::Value* address) const {
  llvm::APInt offset(layout_.getIndexTypeSizeInBits(address->getType()), 0);
  const llvm::Value* const base =
      address->stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true);
  if (!calls(base, call::kShared)) return std::nullopt;
  const auto* const first = llvm::cast<llvm::ConstantInt>(llvm::cast<llvm::CallInst>(base)->getArgOperand(0));
  return first->getZExtValue() + static_cast<std::uint64_t>(offset.getSExtValue());
}

void StoredRows::store(llvm::StoreInst& store, std::uint64_t place) {
  const auto size = [this](const llvm::StoreInst& one) {
    return layout_.getTypeStoreSize(one.getValueOperand()->getType()).getFixedValue();
  };
  const std::uint64_t end = place + size(store);
  std::erase_if(rows_, [&](const auto& row) { return row.first < end && place < row.first + size(*row.second); });
  rows_[place] = &store;
}

void StoredRows::pass(llvm::Instruction& one) {
  const llvm::Value* const address = llvm::getLoadStorePointerOperand(&one);
  const std::optional<std::uint64_t> where = address == nullptr ? std::nullopt : place(address);
  if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(&one); load != nullptr && where && load->isSimple()) {
    const auto row = rows_.find(*where);
    if (row == rows_.end() || row->second->getValueOperand()->getType() != load->getType()) return;
    load->replaceAllUsesWith(row->second->getValueOperand());
    load->eraseFromParent();
  } else if (auto* const written = llvm::dyn_cast<llvm::StoreInst>(&one);
             written != nullptr && where && written->isSimple()) {
    store(*written, *where);
  } else if (!is_harmless(one) && !calls(&one, call::kBarrier)) {
    rows_.clear();
  }
}

/// A shared variable that is stored to and never read.
class UnreadVariable {
 public:
  void add(llvm::Value& pointer) { open_.push_back(&pointer); }
  /// Erases the stores if the variable has no other uses.
  void erase_stores();

 private:
  bool has_read(llvm::Value& pointer, llvm::User& user);

  llvm::SmallVector<llvm::Value*> open_;
  llvm::SmallVector<llvm::StoreInst*> stores_;
};

bool UnreadVariable::has_read(llvm::Value& pointer, llvm::User& user) {
  if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(&user)) {
    stores_.push_back(store);
    return !store->isSimple() || store->getValueOperand() == &pointer;
  }
  if (!llvm::isa<llvm::GetElementPtrInst>(&user) || user.getType()->isVectorTy()) return true;
  open_.push_back(&user);
  return false;
}

void UnreadVariable::erase_stores() {
  while (!open_.empty()) {
    llvm::Value& pointer = *open_.pop_back_val();
    if (llvm::any_of(pointer.users(), [&](llvm::User* user) { return has_read(pointer, *user); })) return;
  }
  for (llvm::StoreInst* const store : stores_) store->eraseFromParent();
}

std::vector<llvm::WeakTrackingVH> indices_in(llvm::Function& warp) {
  std::vector<llvm::WeakTrackingVH> calls;
  for (llvm::Instruction& one : llvm::instructions(warp)) {
    if (is_warp_index(&one)) calls.emplace_back(&one);
  }
  return calls;
}

// Replaces warp indices by their values, which are known if all warps run in lockstep.
void place_warps(llvm::Function& warp, const BlockShape& shape) {
  for (llvm::WeakTrackingVH& one : indices_in(warp)) {
    auto* const call = llvm::dyn_cast_or_null<llvm::CallInst>(one);
    if (call == nullptr) continue;
    const auto* const name = std::ranges::find(call::kWarp, called(call));
    llvm::IRBuilder<> builder(call);
    const auto& [x, y, z] = *shape.extents;
    const std::array<llvm::Value*, 3> extents = {builder.getInt32(x), builder.getInt32(y), builder.getInt32(z)};
    const auto index = warp_index(builder, shape, extents, call->getArgOperand(0));
    llvm::replaceAndRecursivelySimplify(call, index[static_cast<std::size_t>(name - call::kWarp)]);
  }
}

}  // namespace

llvm::PreservedAnalyses SharedForwardingPass::run(llvm::Function& warp, llvm::FunctionAnalysisManager&) {
  if (!shape_.are_all_in_lockstep()) return llvm::PreservedAnalyses::none();
  place_warps(warp, shape_);
  std::map<std::uint64_t, UnreadVariable> variables;
  for (llvm::BasicBlock& block : warp) {
    StoredRows rows(warp.getDataLayout());
    for (llvm::Instruction& one : llvm::make_early_inc_range(block)) rows.pass(one);
  }
  for (llvm::Instruction& one : llvm::instructions(warp)) {
    if (!calls(&one, call::kShared)) continue;
    const llvm::Value* const first = llvm::cast<llvm::CallInst>(one).getArgOperand(0);
    variables[llvm::cast<llvm::ConstantInt>(first)->getZExtValue()].add(one);
  }
  for (auto& [place, variable] : variables) variable.erase_stores();
  return llvm::PreservedAnalyses::none();
}

}  // namespace kmux::simt

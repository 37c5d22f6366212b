#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "spmd/branches.h"
#include "spmd/lane_values.h"
#include "spmd/steps.h"
#include "spmd/thread_calls.h"

namespace kmux::cpu::spmd {
namespace {

constexpr unsigned kMaxThreads = 256;
// The limits for a whole block with a barrier, whose warps then need no frames.
constexpr unsigned kMaxWholeThreads = 512;
constexpr std::uint64_t kMaxWholeCode = 3600;
constexpr std::uint64_t kMaxInstructions = 2400;  // of all warps: limits the extra compile time
constexpr std::uint64_t kMaxPrivateBytes = 32 << 10;  // of all warps, on the stack of the thread that runs the block

bool has_barrier(const llvm::Function& kernel) {
  return std::ranges::any_of(llvm::instructions(kernel), [](const auto& one) { return is_barrier(&one); });
}

/// The cost model of warps in lockstep for one kernel.
class Judgement {
 public:
  Judgement(llvm::Function& kernel, unsigned lanes, const Branches& branches, const llvm::UniformityInfo& uniformity)
      : kernel_(kernel),
        branches_(branches),
        uniformity_(uniformity),
        dominators_(kernel),
        loops_(dominators_),
        values_(kernel, uniformity, lanes, branches.blended(loops_)) {}

  /// Returns true if all warps reach each barrier together.
  bool has_common_barriers() const;
  /// Returns true if lanes leave a loop by data that they compute. Each warp would then run as many iterations as the
  /// slowest one.
  bool is_left_by_data() const;
  bool is_of_use() const { return !loops_.empty() || has_barrier(kernel_); }
  /// Returns how many warps fit the limits above.
  unsigned most_warps(const BlockShape& shape) const;

 private:
  bool is_common(const llvm::BasicBlock& block) const;
  bool is_scattered(const llvm::Instruction& access) const;
  std::uint64_t size_of(const llvm::Instruction& one, unsigned lanes) const;

  llvm::Function& kernel_;
  const Branches& branches_;
  const llvm::UniformityInfo& uniformity_;
  const llvm::DominatorTree dominators_;
  const llvm::LoopInfo loops_;
  const LaneValues values_;
};

bool Judgement::is_common(const llvm::BasicBlock& block) const {
  for (const Split& split : branches_.splits()) {
    if (dominators_.dominates(split.region, &block)) return false;
  }
  for (const llvm::Loop* loop = loops_.getLoopFor(&block); loop != nullptr; loop = loop->getParentLoop()) {
    if (branches_.is_left_one_by_one(loop)) return false;
  }
  return true;
}

bool Judgement::has_common_barriers() const {
  return std::ranges::all_of(llvm::instructions(kernel_), [&](const llvm::Instruction& one) {
    return !is_barrier(&one) || is_common(*one.getParent());
  });
}

bool Judgement::is_left_by_data() const {
  for (const llvm::Loop* const loop : loops_.getLoopsInPreorder()) {
    if (!branches_.is_left_one_by_one(loop)) continue;
    const auto* const end = llvm::cast<llvm::BranchInst>(loop->getLoopLatch()->getTerminator());
    const auto* const compare = llvm::dyn_cast<llvm::CmpInst>(end->getCondition());
    if (compare == nullptr) return true;
    for (const llvm::Use& side : compare->operands()) {
      if (values_.of(side).kind == LaneValue::Kind::kVarying) return true;
    }
  }
  return false;
}

// Returns true if lanes access places that are not contiguous.
bool Judgement::is_scattered(const llvm::Instruction& access) const {
  const llvm::Value* const address = llvm::getLoadStorePointerOperand(&access);
  if (address == nullptr) return false;
  const LaneValue known = values_.of(address);
  if (known.kind == LaneValue::Kind::kUniform) return false;
  llvm::Type* const type = llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&access));
  const auto bytes = kernel_.getDataLayout().getTypeStoreSize(type).getFixedValue();
  return known.kind != LaneValue::Kind::kStrided || known.stride != static_cast<std::int64_t>(bytes);
}

// Returns how many instructions a warp needs for `one`. Without scatter instructions, each lane has a separate test,
// branch and access. Twelve such accesses of 256 threads took LLVM 12 s, and ran no faster for it. Numbers of 8 and 16
// bits are stored by a loop (lane_calls.cpp).
std::uint64_t Judgement::size_of(const llvm::Instruction& one, unsigned lanes) const {
  constexpr unsigned kOfALane = 3;
  const bool can_scatter = kernel_.getFnAttribute("target-features").getValueAsString().contains("+avx512f");
  const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&one);
  const bool is_loop = store != nullptr && one.getDataLayout().getTypeStoreSize(store->getOperand(0)->getType()) <= 2;
  return can_scatter || is_loop || !is_scattered(one) ? 1 : kOfALane * lanes;
}

unsigned Judgement::most_warps(const BlockShape& shape) const {
  std::uint64_t once = 0, each = 0, bytes = 0;
  for (const llvm::Instruction& one : llvm::instructions(kernel_)) {
    (uniformity_.isDivergent(&one) || one.mayWriteToMemory() ? each : once) += size_of(one, shape.lanes);
    const auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(&one);
    if (variable != nullptr) bytes += shape.lanes * lane_bytes(*variable);
  }
  const std::uint64_t all = shape.threads() / shape.lanes,
                      by_bytes = kMaxPrivateBytes / std::max<std::uint64_t>(bytes, 1);
  const bool may_be_whole = has_barrier(kernel_) && shape.threads() <= kMaxWholeThreads && all <= by_bytes;
  if (may_be_whole && once + all * each <= kMaxWholeCode) return static_cast<unsigned>(all);
  if (once >= kMaxInstructions) return 1;
  const std::uint64_t by_code = (kMaxInstructions - once) / std::max<std::uint64_t>(each, 1);
  return static_cast<unsigned>(std::min<std::uint64_t>({by_code, by_bytes, std::uint64_t{kMaxThreads / shape.lanes}}));
}

/// A difference modulo 2^64; nothing if it is not known, or not the same for all blocks.
using Step = std::optional<std::uint64_t>;

/// The difference of a value from one block of the grid to the next one in its row.
class BlockSteps {
 public:
  explicit BlockSteps(const BlockShape& shape) : shape_(shape) {}
  Step of(const llvm::Value* value);
  bool follow_rows(const llvm::Instruction& access);

 private:
  Step of_product(const llvm::Instruction& product);
  Step of_address(const llvm::GEPOperator& address);
  Step computed(const llvm::Instruction& instruction);
  Step constant(const llvm::Value* value) const;

  const BlockShape& shape_;
  llvm::DenseMap<const llvm::Value*, Step> known_;
};

Step BlockSteps::of(const llvm::Value* value) {
  if (calls(value, call::kBlock[0])) return 1;
  const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return 0;
  if (const auto [found, is_new] = known_.try_emplace(value, std::nullopt); !is_new) return found->second;
  const bool is_same = std::ranges::all_of(instruction->operands(), [&](const llvm::Use& one) { return of(one) == 0; });
  const Step step = is_same ? 0 : computed(*instruction);
  return known_[value] = step;
}

Step BlockSteps::computed(const llvm::Instruction& instruction) {
  if (const auto* const address = llvm::dyn_cast<llvm::GEPOperator>(&instruction)) return of_address(*address);
  if (llvm::isa<llvm::CastInst, llvm::FreezeInst>(instruction)) return of(instruction.getOperand(0));
  const unsigned opcode = instruction.getOpcode();
  if (opcode == llvm::Instruction::Mul || opcode == llvm::Instruction::Shl) return of_product(instruction);
  const auto* const disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction);
  const bool is_sum = opcode == llvm::Instruction::Add || (disjoint != nullptr && disjoint->isDisjoint());
  if (!is_sum && opcode != llvm::Instruction::Sub) return std::nullopt;
  const Step left = of(instruction.getOperand(0)), right = of(instruction.getOperand(1));
  if (!left || !right) return std::nullopt;
  return is_sum ? *left + *right : *left - *right;
}

Step BlockSteps::of_product(const llvm::Instruction& product) {
  const bool is_shift = product.getOpcode() == llvm::Instruction::Shl;
  for (const unsigned i : {0U, 1U}) {
    const Step step = of(product.getOperand(i)), factor = constant(product.getOperand(1 - i));
    if (!step || !factor) continue;
    if (!is_shift) return *step * *factor;
    if (i == 0 && *factor < 64) return *step << *factor;
  }
  return std::nullopt;
}

Step BlockSteps::constant(const llvm::Value* value) const {
  for (std::size_t i = 0; i < 3; ++i) {
    if (calls(value, call::kBlockDim[i])) return (*shape_.extents)[i];
  }
  const auto* const number = llvm::dyn_cast<llvm::ConstantInt>(value);
  return number == nullptr || number->getBitWidth() > 64 ? std::nullopt
                                                         : Step(static_cast<std::uint64_t>(number->getSExtValue()));
}

Step BlockSteps::of_address(const llvm::GEPOperator& address) {
  const llvm::DataLayout& layout = llvm::cast<llvm::Instruction>(address).getDataLayout();
  llvm::MapVector<llvm::Value*, llvm::APInt> parts;
  llvm::APInt rest(layout.getIndexTypeSizeInBits(address.getType()), 0);
  Step step = of(address.getPointerOperand());
  if (!step || !address.collectOffset(layout, rest.getBitWidth(), parts, rest)) return std::nullopt;
  for (const auto& [index, bytes] : parts) {
    const Step more = of(index);
    if (!more) return std::nullopt;
    *step += *more * static_cast<std::uint64_t>(bytes.getSExtValue());
  }
  return step;
}

// Returns true if the lanes of `access` reach contiguous places, and the next block in the row the places after these.
// Also returns true for one place, and for places that are the same in all blocks.
bool BlockSteps::follow_rows(const llvm::Instruction& access) {
  const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&access);
  const llvm::Value* address = llvm::getLoadStorePointerOperand(&access);
  llvm::Type* type = nullptr;
  if (address != nullptr) {
    type = llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&access));
  } else if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_load) {
    address = call->getArgOperand(0);
    type = call->getType();
  } else if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_store) {
    address = call->getArgOperand(1);
    type = call->getArgOperand(0)->getType();
  } else {
    return false;
  }
  if (!type->isVectorTy()) return true;
  const std::uint64_t bytes = access.getDataLayout().getTypeStoreSize(type).getFixedValue();
  const Step step = of(address);
  const std::uint64_t row = bytes / shape_.lanes * (*shape_.extents)[0];
  return step && (*step == 0 || *step == row);
}

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

std::array<llvm::Value*, 3> warp_index(llvm::IRBuilder<>& builder, const BlockShape& shape,
                                       const std::array<llvm::Value*, 3>& extents, llvm::Value* warp) {
  if (shape.order != BlockShape::Order::kRows) return {warp, builder.getInt32(0), builder.getInt32(0)};
  llvm::Value* const in_row = builder.CreateUDiv(extents[0], builder.getInt32(shape.lanes));
  llvm::Value* const row = builder.CreateUDiv(warp, in_row);
  return {builder.CreateURem(warp, in_row), builder.CreateURem(row, extents[1]), builder.CreateUDiv(row, extents[1])};
}

void forward_shared(llvm::Function& warp, const BlockShape& shape) {
  if (!shape.are_all_in_step()) return;
  place_warps(warp, shape);
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
}

bool is_harmless(const llvm::Instruction& one) {
  if (!one.mayHaveSideEffects()) return true;
  const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&one);
  const llvm::Value* address = nullptr;
  if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&one); store != nullptr && store->isSimple()) {
    address = store->getPointerOperand();
  } else if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_store) {
    address = call->getArgOperand(1);
  }
  return address != nullptr && llvm::isa<llvm::Argument>(llvm::getUnderlyingObject(address));
}

bool goes_by_rows(llvm::Function& warp, const BlockShape& shape) {
  const auto& [x, y, z] = shape.extents.value_or(std::array{0U, 0U, 0U});
  if (shape.order != BlockShape::Order::kRows || shape.warps != 1 || y * z < 2) return false;
  if (!llvm::LoopInfo(llvm::DominatorTree(warp)).empty()) return false;
  BlockSteps steps(shape);
  return std::ranges::all_of(llvm::instructions(warp), [&](const llvm::Instruction& one) {
    return is_harmless(one) && (!one.mayReadOrWriteMemory() || steps.follow_rows(one));
  });
}

bool may_run_in_step(llvm::Function& kernel, const BlockShape& shape) {
  if (shape.warps_in_step(kMaxThreads / shape.lanes) == 1) return false;
  const llvm::DominatorTree dominators(kernel);
  return has_barrier(kernel) || !llvm::LoopInfo(dominators).empty();
}

Result<unsigned> warps_in_step(llvm::Function& kernel, const BlockShape& shape,
                               llvm::FunctionAnalysisManager& analyses) {
  KMUX_ASSIGN(const Branches branches,
              Branches::find(kernel, analyses.getResult<llvm::UniformityInfoAnalysis>(kernel)));
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
  const Judgement judgement(kernel, shape.lanes, branches, analyses.getResult<llvm::UniformityInfoAnalysis>(kernel));
  if (!judgement.is_of_use() || !judgement.has_common_barriers() || judgement.is_left_by_data()) return 1U;
  return shape.warps_in_step(judgement.most_warps(shape));
}

}  // namespace kmux::cpu::spmd

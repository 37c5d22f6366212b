// What loops read of tiles. It is asked for an iteration ahead: a processor comes to the next one's loads only when the products of
// this one are nearly done. What all blocks of a column of the grid read is put one behind the other by the first of them: the rows of
// a tile often lie in few sets of a cache.
#include <algorithm>
#include <vector>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "spmd/divergence.h"
#include "spmd/steps.h"
#include "spmd/thread_calls.h"

namespace kmux::cpu::spmd {
namespace {

constexpr unsigned kLeastRows = 8;  // of a tile
constexpr unsigned kLeastWork = 32;  // instructions a row; with fewer a processor itself looks ahead far enough
constexpr unsigned kPartForAsking = 3;  // a third of an iteration
constexpr unsigned kNear = 256;  // bytes from one iteration to the next, which a processor expects

/// The rows of a tile, a load each.
using Tile = std::vector<llvm::LoadInst*>;

/// What sums are where no index leaves its type, which is all that is likely: LLVM must prove it.
class Unbounded final : public llvm::SCEVRewriteVisitor<Unbounded> {
 public:
  explicit Unbounded(llvm::ScalarEvolution& evolution) : SCEVRewriteVisitor(evolution) {}
  const llvm::SCEV* visitSignExtendExpr(const llvm::SCEVSignExtendExpr* wide) {
    const llvm::SCEV* const narrow = visit(wide->getOperand());
    const auto extended = [&](const llvm::SCEV* one) { return SE.getSignExtendExpr(one, wide->getType()); };
    const auto* const sum = llvm::dyn_cast<llvm::SCEVAddRecExpr>(narrow);
    if (sum == nullptr || !sum->isAffine()) return extended(narrow);
    return SE.getAddRecExpr(extended(sum->getStart()), extended(sum->getStepRecurrence(SE)), sum->getLoop(),
                            llvm::SCEV::FlagAnyWrap);
  }
};

// Does `address` go on by more in each iteration than a processor expects?
bool goes_far(llvm::ScalarEvolution& evolution, llvm::Value* address, const llvm::Loop& loop) {
  const auto* const sum = llvm::dyn_cast<llvm::SCEVAddRecExpr>(Unbounded(evolution).visit(evolution.getSCEV(address)));
  if (sum == nullptr || sum->getLoop() != &loop || !sum->isAffine()) return false;
  const auto* const known = llvm::dyn_cast<llvm::SCEVConstant>(sum->getStepRecurrence(evolution));
  return known == nullptr || known->getAPInt().abs().uge(kNear);
}

// The tiles of `rows` rows that `body` reads from arrays that are parameters.
std::vector<Tile> tiles_of(llvm::BasicBlock& body, unsigned rows) {
  std::vector<Tile> tiles;
  Tile tile;
  const llvm::Value* array = nullptr;
  for (llvm::Instruction& one : body) {
    auto* const load = llvm::dyn_cast<llvm::LoadInst>(&one);
    if (load == nullptr || !load->isSimple() || !load->getType()->isVectorTy()) continue;
    const llvm::Value* const from = llvm::getUnderlyingObject(load->getPointerOperand());
    if (!llvm::isa<llvm::Argument>(from)) continue;
    if (from != array || tile.front()->getType() != load->getType() || tile.size() == rows) tile.clear();
    array = from;
    tile.push_back(load);
    if (tile.size() == rows) tiles.push_back(tile);
  }
  return tiles;
}

unsigned work_behind(const Tile& tile) {
  return static_cast<unsigned>(std::distance(tile.back()->getIterator(), tile.back()->getParent()->end()));
}

// Asks, row by row while this iteration computes, for what the next one reads in place of `tile`: as far from this one's as that is
// from the last one's, and each row from the one before as the first two. LLVM, if it knew that the address is an index of the loop,
// would keep one for each row.
void ask_for_next(llvm::BasicBlock& body, const Tile& tile) {
  const auto rows = static_cast<unsigned>(tile.size());
  const unsigned between = work_behind(tile) / rows / kPartForAsking;
  llvm::IRBuilder<> builder(&body, body.begin());
  llvm::Type* const i64 = builder.getInt64Ty();
  llvm::PHINode* const last = builder.CreatePHI(i64, 2);
  builder.SetInsertPoint(&body, std::next(tile.back()->getIterator()));
  auto* const hidden = llvm::InlineAsm::get(llvm::FunctionType::get(i64, {i64}, false), "", "=r,0", false);
  llvm::Value* const first = builder.CreatePtrToInt(tile[0]->getPointerOperand(), i64);
  llvm::Value* const row = builder.CreateSub(builder.CreatePtrToInt(tile[1]->getPointerOperand(), i64), first);
  llvm::Value* const here = builder.CreateCall(hidden, {first});
  llvm::Value* next = builder.CreateIntToPtr(builder.CreateSub(builder.CreateShl(here, 1), last), builder.getPtrTy());
  for (llvm::BasicBlock* const before : llvm::predecessors(&body))
    last->addIncoming(before == &body ? here : llvm::ConstantInt::get(i64, 0), before);
  for (unsigned i = 0; i < rows; ++i) {
    ask_for(builder, next, *tile.front()->getType());
    next = builder.CreateGEP(builder.getInt8Ty(), next, row);
    builder.SetInsertPoint(&body, std::next(builder.GetInsertPoint(), between));
  }
}

bool has_barrier(const llvm::BasicBlock& body) {
  return std::ranges::any_of(body, [](const llvm::Instruction& one) { return is_barrier(&one); });
}

/// What is the same for all blocks of a column of the grid in the same iteration of a loop, whose header is `header`.
class ColumnValues {
 public:
  explicit ColumnValues(const llvm::BasicBlock& header) : header_(header) {}
  bool has(const llvm::Value* value) {
    const auto* const one = llvm::dyn_cast<llvm::Instruction>(value);
    if (one == nullptr || !seen_.insert(one).second) return true;
    if (calls(one, call::kBlock[1]) || one->mayReadOrWriteMemory()) return false;
    if (llvm::isa<llvm::PHINode>(one) && one->getParent() != &header_) return false;
    return std::ranges::all_of(one->operand_values(), [this](const llvm::Value* operand) { return has(operand); });
  }

 private:
  const llvm::BasicBlock& header_;
  llvm::SmallPtrSet<const llvm::Instruction*, 32> seen_;
};

// Is `one` no means to wait for another block? What that writes by plain stores, none can read without a race.
bool is_plain(const llvm::Instruction& one) {
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&one)) return load->isSimple();
  if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&one)) return store->isSimple();
  if (const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&one)) {
    const llvm::Intrinsic::ID id = call->getIntrinsicID();
    if (id == llvm::Intrinsic::masked_store || id == llvm::Intrinsic::masked_scatter) return true;
    if (call->isAssumeLikeIntrinsic()) return true;
  }
  return !one.mayWriteToMemory() || calls(&one, call::kBarrier);
}

/// A loop that reads tiles which are the same for all blocks of a column: a copy of it reads what the first block has put away.
class PackedLoop {
 public:
  PackedLoop(const llvm::Loop& loop, std::vector<Tile> tiles)
      : body_(*loop.getHeader()),
        before_(*loop.getLoopPreheader()),
        exit_(*loop.getExitBlock()),
        tiles_(std::move(tiles)) {
    const llvm::DataLayout& layout = body_.getDataLayout();
    for (const Tile& tile : tiles_)
      bytes_ += tile.size() * layout.getTypeAllocSize(tile.front()->getType()).getFixedValue();
  }

  void write() {
    fence();
    clone();
    enter();
    go_on();
    leave();
    read();
  }
  /// Has the loop itself put away what it reads. It is of two blocks and more then.
  void keep();

 private:
  llvm::Value* in_copy(llvm::Value* value) const {
    llvm::Value* const copy = map_.lookup(value);
    return copy == nullptr ? value : copy;
  }
  template <class Use>
  void for_each_row(llvm::IRBuilder<>& builder, llvm::Value* iteration, Use use);
  void fence();
  void clone();
  void enter();
  void go_on();
  void leave();
  void read();

  llvm::BasicBlock& body_;
  llvm::BasicBlock& before_;
  llvm::BasicBlock& exit_;
  const std::vector<Tile> tiles_;
  std::uint64_t bytes_ = 0;  // of an iteration
  llvm::ValueToValueMapTy map_;
  llvm::BasicBlock* packed_ = nullptr;  // the copy
  llvm::BasicBlock* more_ = nullptr;  // where it goes on, or the loop itself for what is not there
  llvm::Value* memory_ = nullptr;
  llvm::Value* filled_ = nullptr;  // iterations that are there
  llvm::Value* most_ = nullptr;  // iterations that may be
  llvm::PHINode* iteration_ = nullptr;  // of the loop
  llvm::PHINode* packed_iteration_ = nullptr;
};

// A tile's rows lie one behind the other, as do the tiles of an iteration.
template <class Use>
void PackedLoop::for_each_row(llvm::IRBuilder<>& builder, llvm::Value* iteration, Use use) {
  llvm::Value* const index = builder.CreateZExt(iteration, builder.getInt64Ty());
  llvm::Value* const first = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), memory_, kPackedHeaderBytes);
  llvm::Value* const place =
      builder.CreateInBoundsGEP(builder.getInt8Ty(), first, builder.CreateMul(index, builder.getInt64(bytes_)));
  std::uint64_t offset = 0;
  for (const Tile& tile : tiles_) {
    for (llvm::LoadInst* const row : tile) {
      use(row, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), place, offset));
      offset += body_.getDataLayout().getTypeAllocSize(row->getType()).getFixedValue();
    }
  }
}

// LLVM would else take elements of another tile from the registers that its rows came by, and have none left for the rows.
void PackedLoop::fence() {
  for (llvm::Instruction& one : llvm::make_early_inc_range(body_)) {
    if (!is_barrier(&one)) continue;
    llvm::IRBuilder<> builder(&one);
    auto* const type = llvm::FunctionType::get(builder.getVoidTy(), false);
    builder.CreateCall(llvm::InlineAsm::get(type, "", "~{memory}", /*hasSideEffects=*/true));
  }
}

void PackedLoop::clone() {
  packed_ = llvm::CloneBasicBlock(&body_, map_, ".packed", body_.getParent());
  map_[&body_] = packed_;
  llvm::remapInstructionsInBlocks({packed_}, map_);
}

void PackedLoop::enter() {
  llvm::IRBuilder<> builder(before_.getTerminator());
  llvm::Type* const i32 = builder.getInt32Ty();
  memory_ = make_call(builder, call::kPacked, builder.getPtrTy());
  filled_ = builder.CreateLoad(i32, memory_);
  llvm::Value* const shared = builder.CreateLoad(i32, builder.CreateConstInBoundsGEP1_64(i32, memory_, 1));
  const auto room = static_cast<std::uint32_t>((kPackedBytes - kPackedHeaderBytes) / bytes_);
  most_ = builder.CreateMul(shared, builder.getInt32(room));
  builder.CreateCondBr(builder.CreateICmpNE(filled_, builder.getInt32(0)), packed_, &body_);
  before_.getTerminator()->eraseFromParent();
}

void PackedLoop::go_on() {
  more_ = llvm::BasicBlock::Create(body_.getContext(), "more", body_.getParent());
  packed_->getTerminator()->replaceSuccessorWith(packed_, more_);
  packed_->replacePhiUsesWith(packed_, more_);
  llvm::IRBuilder<> builder(packed_, packed_->begin());
  packed_iteration_ = builder.CreatePHI(builder.getInt32Ty(), 2, "iteration");
  builder.SetInsertPoint(more_);
  llvm::Value* const next = builder.CreateAdd(packed_iteration_, builder.getInt32(1));
  builder.CreateCondBr(builder.CreateICmpULT(next, filled_), packed_, &body_);
  packed_iteration_->addIncoming(builder.getInt32(0), &before_);
  packed_iteration_->addIncoming(next, more_);
  for (llvm::PHINode& phi : body_.phis()) {
    phi.addIncoming(in_copy(phi.getIncomingValueForBlock(&body_)), more_);
  }
  builder.SetInsertPoint(&body_, body_.begin());
  iteration_ = builder.CreatePHI(builder.getInt32Ty(), 3, "iteration");
  builder.SetInsertPoint(body_.getTerminator());
  iteration_->addIncoming(builder.getInt32(0), &before_);
  iteration_->addIncoming(next, more_);
  iteration_->addIncoming(builder.CreateAdd(iteration_, builder.getInt32(1)), &body_);
}

// Says how many iterations are there now.
void PackedLoop::leave() {
  for (llvm::PHINode& phi : exit_.phis()) {
    phi.addIncoming(in_copy(phi.getIncomingValueForBlock(&body_)), packed_);
  }
  llvm::IRBuilder<> builder(&exit_, exit_.begin());
  llvm::PHINode* const done = builder.CreatePHI(builder.getInt32Ty(), 2);
  done->addIncoming(iteration_->getIncomingValueForBlock(&body_), &body_);
  done->addIncoming(builder.getInt32(0), packed_);
  builder.SetInsertPoint(&exit_, exit_.getFirstInsertionPt());
  llvm::Value* const kept = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, done, most_);
  builder.CreateStore(builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, kept, filled_), memory_);
}

void PackedLoop::read() {
  llvm::IRBuilder<> builder(packed_, packed_->getFirstInsertionPt());
  for_each_row(builder, packed_iteration_, [&](llvm::LoadInst* row, llvm::Value* from) {
    auto* const copy = llvm::cast<llvm::LoadInst>(in_copy(row));
    copy->setOperand(0, from);
    copy->dropUnknownNonDebugMetadata();
  });
}

void PackedLoop::keep() {
  llvm::Instruction* const behind = tiles_.back().back()->getNextNode();
  llvm::IRBuilder<> builder(behind);
  llvm::Value* const is_room = builder.CreateICmpULT(iteration_, most_);
  builder.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(is_room, behind, /*Unreachable=*/false));
  for_each_row(builder, iteration_,
               [&](llvm::LoadInst* row, llvm::Value* to) { builder.CreateAlignedStore(row, to, row->getAlign()); });
}

/// A loop whose body is a block with barriers that reads tiles.
struct TileLoop {
  llvm::Loop& loop;
  std::vector<Tile> far;  // what no processor expects
  std::vector<Tile> of_column;  // what is the same for all blocks of a column

  bool can_be_packed() const {
    return !of_column.empty() && loop.isLoopSimplifyForm() && loop.getLoopDepth() == 1 &&
           loop.getExitBlock() != nullptr;
  }
};

TileLoop tile_loop(llvm::Loop& loop, unsigned rows, llvm::ScalarEvolution& evolution) {
  TileLoop found{loop, {}, {}};
  llvm::BasicBlock& body = *loop.getHeader();
  for (const Tile& tile : tiles_of(body, rows)) {
    if (work_behind(tile) < kLeastWork * rows) continue;
    if (goes_far(evolution, tile.front()->getPointerOperand(), loop)) found.far.push_back(tile);
    const auto is_of_column = [&](llvm::LoadInst* row) { return ColumnValues(body).has(row->getPointerOperand()); };
    if (std::ranges::all_of(tile, is_of_column)) found.of_column.push_back(tile);
  }
  return found;
}

std::vector<TileLoop> tile_loops(llvm::LoopInfo& loops, unsigned rows, llvm::ScalarEvolution& evolution) {
  std::vector<TileLoop> found;
  for (llvm::Loop* const loop : loops.getLoopsInPreorder()) {
    if (loop->getNumBlocks() == 1 && loop->getLoopPreheader() != nullptr && has_barrier(*loop->getHeader()))
      found.push_back(tile_loop(*loop, rows, evolution));
  }
  return found;
}

void ask_for_far(const TileLoop& one) {
  for (const Tile& tile : one.far) ask_for_next(*one.loop.getHeader(), tile);
}

}  // namespace

void place_tiles(llvm::Function& warp, const BlockShape& shape) {
  const auto [x, y, z] = shape.extents.value_or(std::array{0U, 0U, 0U});
  const bool has_all_rows = x == shape.lanes && y * z == shape.warps && shape.warps >= kLeastRows;
  if (!has_all_rows || !has_call(warp, call::kBarrier)) return;
  Analyses analyses;
  analyses.complete();
  auto& evolution = analyses.functions.getResult<llvm::ScalarEvolutionAnalysis>(warp);
  auto& loops = analyses.functions.getResult<llvm::LoopAnalysis>(warp);
  const std::vector<TileLoop> found = tile_loops(loops, shape.warps, evolution);
  const bool may_pack = llvm::all_of(llvm::instructions(warp), is_plain);
  const auto packing = may_pack ? std::ranges::find_if(found, &TileLoop::can_be_packed) : found.end();
  for (auto one = found.begin(); one != found.end(); ++one) {
    if (one != packing) {
      ask_for_far(*one);
      continue;
    }
    llvm::formLCSSA(one->loop, analyses.functions.getResult<llvm::DominatorTreeAnalysis>(warp), &loops, nullptr);
    PackedLoop packed(one->loop, one->of_column);
    packed.write();
    ask_for_far(*one);
    packed.keep();
  }
  analyses.functions.clear();
}

}  // namespace kmux::cpu::spmd

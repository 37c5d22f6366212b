// Tiles that loops read. They are prefetched an iteration ahead: a processor reaches the loads of the next iteration
// only when the products of this one are nearly done.
#include "simt/transforms/tiles.h"

#include <algorithm>
#include <cstddef>
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
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "simt/analysis/block_shape.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/thread_calls.h"
#include "simt/runtime/launch.h"
#include "simt/transforms/packed_tiles.h"
#include "simt/transforms/prefetches.h"

namespace kmux::simt {
namespace {

constexpr unsigned kMinRows = 8;  // of a tile
constexpr unsigned kMinWork = 32;  // instructions per row; with fewer, a processor looks ahead far enough by itself
constexpr unsigned kPartForAsking = 3;  // prefetches take a third of an iteration
constexpr unsigned kNear = 256;  // bytes from one iteration to the next that a hardware prefetcher follows

/// Rewrites sums as if no index leaves its type, which is likely; LLVM would have to prove it.
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

// Returns true if `address` advances in each iteration by more than a hardware prefetcher follows.
bool goes_far(llvm::ScalarEvolution& evolution, llvm::Value* address, const llvm::Loop& loop) {
  const auto* const sum = llvm::dyn_cast<llvm::SCEVAddRecExpr>(Unbounded(evolution).visit(evolution.getSCEV(address)));
  if (sum == nullptr || sum->getLoop() != &loop || !sum->isAffine()) return false;
  const auto* const known = llvm::dyn_cast<llvm::SCEVConstant>(sum->getStepRecurrence(evolution));
  return known == nullptr || known->getAPInt().abs().uge(kNear);
}

// Returns the tiles of `rows` rows that `body` reads from arrays that are parameters.
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

// Prefetches, row by row while this iteration computes, the data that the next one reads in place of `tile`. The next
// tile is as far from this one as this one is from the last. Its rows are as far apart as the first two. The address is
// hidden from LLVM, which would otherwise keep an index for each row.
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
  next = builder.CreateGEP(builder.getInt8Ty(), next, builder.CreateMul(row, builder.getInt64(rows - 1)));
  llvm::Value* const back = builder.CreateNeg(row);
  for (unsigned i = 0; i < rows; ++i) {
    prefetch(builder, next, *tile.front()->getType());
    next = builder.CreateGEP(builder.getInt8Ty(), next, back);
    builder.SetInsertPoint(&body, std::next(builder.GetInsertPoint(), between));
  }
}

bool has_barrier(const llvm::BasicBlock& body) {
  return std::ranges::any_of(body, [](const llvm::Instruction& one) { return is_barrier(&one); });
}

// Returns true if `one` cannot be part of a wait for another block. Plain stores of that block cannot be read without a
// race.
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

/// A loop of one basic block with barriers that reads tiles.
struct TileLoop {
  llvm::Loop& loop;
  std::vector<Tile> far;  // out of reach of a hardware prefetcher
  std::vector<Tile> of_column;  // the same for all blocks of a column

  bool can_be_packed() const {
    return !of_column.empty() && loop.isLoopSimplifyForm() && loop.getLoopDepth() == 1 &&
           loop.getExitBlock() != nullptr;
  }
};

TileLoop tile_loop(llvm::Loop& loop, unsigned rows, llvm::ScalarEvolution& evolution) {
  TileLoop found{loop, {}, {}};
  llvm::BasicBlock& body = *loop.getHeader();
  for (const Tile& tile : tiles_of(body, rows)) {
    if (work_behind(tile) < kMinWork * rows) continue;
    if (goes_far(evolution, tile.front()->getPointerOperand(), loop)) found.far.push_back(tile);
    const auto is_of_column = [&](llvm::LoadInst* row) {
      return is_same_across(row->getPointerOperand(), body, call::kBlock[1]);
    };
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

llvm::PreservedAnalyses TilePrefetchPass::run(llvm::Function& warp, llvm::FunctionAnalysisManager&) {
  const auto [x, y, z] = shape_.extents.value_or(std::array{0U, 0U, 0U});
  const bool has_all_rows = x == shape_.lanes && y * z == shape_.warps && shape_.warps >= kMinRows;
  if (!has_all_rows || !has_call(warp, call::kBarrier)) return llvm::PreservedAnalyses::none();
  Analyses analyses;
  analyses.complete();
  auto& evolution = analyses.functions.getResult<llvm::ScalarEvolutionAnalysis>(warp);
  auto& loops = analyses.functions.getResult<llvm::LoopAnalysis>(warp);
  const std::vector<TileLoop> found = tile_loops(loops, shape_.warps, evolution);
  const bool may_pack = llvm::all_of(llvm::instructions(warp), is_plain);
  const auto packing = may_pack ? std::ranges::find_if(found, &TileLoop::can_be_packed) : found.end();
  for (auto one = found.begin(); one != found.end(); ++one) {
    if (one != packing) {
      ask_for_far(*one);
      continue;
    }
    llvm::formLCSSA(one->loop, analyses.functions.getResult<llvm::DominatorTreeAnalysis>(warp), &loops, nullptr);
    pack_tiles(one->loop, one->of_column, [&] { ask_for_far(*one); });
  }
  analyses.functions.clear();
  return llvm::PreservedAnalyses::none();
}

namespace {

llvm::Value* at(llvm::IRBuilder<>& builder, llvm::Value* place, std::uint64_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), place, offset);
}

}  // namespace

void begin_tiles(llvm::IRBuilder<>& builder, llvm::Value* memory, bool has_rows) {
  llvm::Function* const function = builder.GetInsertBlock()->getParent();
  llvm::BasicBlock* const none = llvm::BasicBlock::Create(builder.getContext(), "no.tiles", function);
  llvm::BasicBlock* const ready = llvm::BasicBlock::Create(builder.getContext(), "tiles", function);
  llvm::Value* const goes_on = at(builder, memory, offsetof(kmux_cpu_tiles, goes_on));
  llvm::Value* const is_set =
      builder.CreateICmpNE(builder.CreateLoad(builder.getInt64Ty(), goes_on), builder.getInt64(0));
  builder.CreateCondBr(is_set, ready, none);
  builder.SetInsertPoint(none);
  for (std::uint64_t tiles = 0; tiles < tiles_bytes(has_rows); tiles += tiles == 0 ? kPackedBytes : kKeptBytes)
    builder.CreateStore(builder.getInt64(~0ULL), at(builder, memory, tiles + offsetof(kmux_cpu_tiles, owner)));
  builder.CreateStore(builder.getInt64(1), goes_on);
  builder.CreateBr(ready);
  builder.SetInsertPoint(ready);
}

void own_tiles(llvm::IRBuilder<>& builder, llvm::Value* tiles, llvm::Value* owner, llvm::Value* is_shared) {
  llvm::Type* const i32 = builder.getInt32Ty();
  llvm::Value* const iterations = at(builder, tiles, offsetof(kmux_cpu_tiles, iterations));
  llvm::Value* const last = at(builder, tiles, offsetof(kmux_cpu_tiles, owner));
  llvm::Value* const is_same = builder.CreateICmpEQ(builder.CreateLoad(builder.getInt64Ty(), last), owner);
  builder.CreateStore(builder.CreateSelect(is_same, builder.CreateLoad(i32, iterations), builder.getInt32(0)),
                      iterations);
  builder.CreateStore(owner, last);
  builder.CreateStore(builder.CreateZExt(is_shared, i32), at(builder, tiles, offsetof(kmux_cpu_tiles, is_shared)));
}

}  // namespace kmux::simt

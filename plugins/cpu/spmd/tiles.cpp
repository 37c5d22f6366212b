// What loops read of tiles, asked for an iteration ahead: a processor comes to the next one's loads only when the products of this
// one are nearly done.
#include <algorithm>
#include <vector>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
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
void ask_for_next(llvm::BasicBlock& body, llvm::BasicBlock& before, const Tile& tile) {
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
  last->addIncoming(llvm::ConstantInt::get(i64, 0), &before);
  last->addIncoming(here, &body);
  for (unsigned i = 0; i < rows; ++i) {
    ask_for(builder, next, *tile.front()->getType());
    next = builder.CreateGEP(builder.getInt8Ty(), next, row);
    builder.SetInsertPoint(&body, std::next(builder.GetInsertPoint(), between));
  }
}

bool has_barrier(const llvm::BasicBlock& body) {
  return std::ranges::any_of(body, [](const llvm::Instruction& one) { return is_barrier(&one); });
}

}  // namespace

void ask_for_tiles(llvm::Function& warp, const BlockShape& shape) {
  const auto [x, y, z] = shape.extents.value_or(std::array{0U, 0U, 0U});
  const bool has_all_rows = x == shape.lanes && y * z == shape.warps && shape.warps >= kLeastRows;
  if (!has_all_rows || !has_call(warp, call::kBarrier)) return;
  Analyses analyses;
  analyses.complete();
  auto& evolution = analyses.functions.getResult<llvm::ScalarEvolutionAnalysis>(warp);
  for (const llvm::Loop* const loop : analyses.functions.getResult<llvm::LoopAnalysis>(warp).getLoopsInPreorder()) {
    llvm::BasicBlock& body = *loop->getHeader();
    if (loop->getNumBlocks() != 1 || loop->getLoopPreheader() == nullptr || !has_barrier(body)) continue;
    for (const Tile& tile : tiles_of(body, shape.warps)) {
      const bool is_worth_it = work_behind(tile) >= kLeastWork * shape.warps;
      if (is_worth_it && goes_far(evolution, tile.front()->getPointerOperand(), *loop))
        ask_for_next(body, *loop->getLoopPreheader(), tile);
    }
  }
  analyses.functions.clear();
}

}  // namespace kmux::cpu::spmd

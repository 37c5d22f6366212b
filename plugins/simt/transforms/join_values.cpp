#include "simt/transforms/join_values.h"

#include <algorithm>
#include <optional>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "simt/analysis/divergence.h"

namespace kmux::simt {
namespace {

// Returns `value` minus `other` if that is a constant; else null.
const llvm::SCEVConstant* constant_between(llvm::Value& value, llvm::Value& other, llvm::ScalarEvolution& evolution) {
  return llvm::dyn_cast<llvm::SCEVConstant>(
      evolution.getMinusSCEV(evolution.getSCEV(&value), evolution.getSCEV(&other)));
}

/// A number as a multiple of a power of two plus a constant below that power: adding such constants does not carry.
struct Parts {
  const llvm::SCEV* multiple;
  std::uint64_t rest;
  unsigned zero_bits;  // of the multiple

  bool has_room_for(const llvm::APInt& more) const { return (more + rest).getActiveBits() <= zero_bits; }
};

const llvm::SCEV* start_of(const llvm::SCEV* number) {
  while (const auto* const going = llvm::dyn_cast<llvm::SCEVAddRecExpr>(number)) number = going->getStart();
  return number;
}

// Returns the constant of `number`, which SCEV places first in sums.
std::optional<llvm::APInt> constant_of(const llvm::SCEV* number) {
  const llvm::SCEV* const start = start_of(number);
  const auto* const sum = llvm::dyn_cast<llvm::SCEVAddExpr>(start);
  const auto* const constant = llvm::dyn_cast<llvm::SCEVConstant>(sum == nullptr ? start : sum->getOperand(0));
  return constant == nullptr ? std::nullopt : std::optional(constant->getAPInt());
}

Parts parts_of(llvm::Value& value, llvm::ScalarEvolution& evolution) {
  const llvm::SCEV* const number = evolution.getSCEV(&value);
  const llvm::APInt constant =
      constant_of(number).value_or(llvm::APInt::getZero(number->getType()->getScalarSizeInBits()));
  const llvm::SCEV* const without = evolution.getMinusSCEV(number, evolution.getConstant(constant));
  const unsigned zero_bits = std::min(evolution.getMinTrailingZeros(without), constant.getBitWidth() - 1);
  const llvm::APInt rest = constant & llvm::APInt::getLowBitsSet(constant.getBitWidth(), zero_bits);
  return {evolution.getMinusSCEV(number, evolution.getConstant(rest)), rest.getLimitedValue(), zero_bits};
}

// Returns `value` plus `more`, with no-wrap flags if the type provably holds the sum.
llvm::Value* sum_of(llvm::IRBuilder<>& builder, llvm::Value& value, const llvm::APInt& more,
                    llvm::ScalarEvolution& evolution) {
  const bool is_exact = parts_of(value, evolution).has_room_for(more);
  return builder.CreateAdd(&value, builder.getInt(more), "", is_exact, is_exact);
}

// Merges indices that are a constant apart in all iterations of `loop`: once they are spilled to a frame, LLVM cannot
// infer that.
void join_indices(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  llvm::SmallVector<llvm::PHINode*> kept;
  for (llvm::PHINode& phi : llvm::make_early_inc_range(loop.getHeader()->phis())) {
    if (!phi.getType()->isIntegerTy()) continue;
    const llvm::SCEVConstant* apart = nullptr;
    const auto is_near = [&](llvm::PHINode* other) {
      apart = other->getType() != phi.getType() ? nullptr : constant_between(phi, *other, evolution);
      return apart != nullptr;
    };
    const auto same = llvm::find_if(kept, is_near);
    if (same == kept.end()) {
      kept.push_back(&phi);
      continue;
    }
    llvm::IRBuilder<> builder(loop.getHeader(), loop.getHeader()->getFirstInsertionPt());
    llvm::Value* const value = sum_of(builder, **same, apart->getAPInt(), evolution);
    evolution.forgetValue(&phi);
    phi.replaceAllUsesWith(value);
    phi.eraseFromParent();
  }
}

// Computes sums in `block` that are a constant more than an earlier sum from that sum.
void join_sums(llvm::BasicBlock& block, llvm::ScalarEvolution& evolution) {
  llvm::SmallDenseMap<const llvm::SCEV*, std::pair<llvm::Instruction*, std::uint64_t>> first;
  for (llvm::Instruction& one : llvm::make_early_inc_range(block)) {
    if (one.getOpcode() != llvm::Instruction::Add || !one.getType()->isIntegerTy()) continue;
    const Parts parts = parts_of(one, evolution);
    const auto [found, is_new] = first.try_emplace(parts.multiple, &one, parts.rest);
    const auto& [other, rest] = found->second;
    if (is_new || parts.rest < rest || parts.zero_bits == 0) continue;
    llvm::IRBuilder<> builder(&one);
    const llvm::APInt more(one.getType()->getIntegerBitWidth(), parts.rest - rest);
    one.replaceAllUsesWith(sum_of(builder, *other, more, evolution));
    one.eraseFromParent();
  }
}

// Returns the stricter of two tests that both must pass: the one that implies the other; null if neither does.
llvm::Value* stricter_of(llvm::Value* a, llvm::Value* b, llvm::ScalarEvolution& evolution) {
  auto* const one = llvm::dyn_cast<llvm::ICmpInst>(a);
  auto* const other = llvm::dyn_cast<llvm::ICmpInst>(b);
  if (one == nullptr || other == nullptr || one->getPredicate() != other->getPredicate() || !one->isRelational() ||
      one->getOperand(1) != other->getOperand(1) || !one->getOperand(0)->getType()->isIntegerTy())
    return nullptr;
  const Parts left = parts_of(*one->getOperand(0), evolution);
  const Parts right = parts_of(*other->getOperand(0), evolution);
  if (left.multiple != right.multiple) return nullptr;
  const bool is_less = llvm::ICmpInst::isLT(one->getPredicate()) || llvm::ICmpInst::isLE(one->getPredicate());
  return (left.rest > right.rest) == is_less ? a : b;
}

// Merges bounds tests of warps in lockstep: the last warp decides for all.
void join_tests(llvm::Function& group, llvm::ScalarEvolution& evolution) {
  for (llvm::Instruction& one : llvm::make_early_inc_range(llvm::instructions(group))) {
    if (one.getOpcode() != llvm::Instruction::And || !one.getType()->isIntegerTy(1)) continue;
    llvm::Value* const stricter = stricter_of(one.getOperand(0), one.getOperand(1), evolution);
    if (stricter == nullptr) continue;
    one.replaceAllUsesWith(stricter);
    one.eraseFromParent();
  }
}

}  // namespace

llvm::PreservedAnalyses JoinValuesPass::run(llvm::Function& group, llvm::FunctionAnalysisManager& analyses) {
  llvm::EarlyCSEPass().run(group, analyses);
  analyses.invalidate(group, llvm::PreservedAnalyses::none());
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(group);
  for (const llvm::Loop* const loop : analyses.getResult<llvm::LoopAnalysis>(group).getLoopsInPreorder())
    join_indices(*loop, evolution);
  for (llvm::BasicBlock& block : group) join_sums(block, evolution);
  join_tests(group, evolution);
  return llvm::PreservedAnalyses::none();
}

}  // namespace kmux::simt

// Shared memory that all threads read in one place and then overwrite with no barrier between. That is a race, but no
// GPU loses it: its warps leave a barrier together, and all have read long before one of them writes. If warps run one
// after another to the next barrier, the first one writes before the second one reads.
#include "simt/transforms/broadcast_barriers.h"

#include <optional>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "simt/analysis/block_shape.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {
namespace {

/// An outgoing edge of a branch at which threads of a block diverge: its basic block, and the number of the successor.
using Way = std::pair<const llvm::BasicBlock*, unsigned>;

/// The place of an access to shared memory.
struct SharedPlace {
  const llvm::Value* variable = nullptr;  // its offset in the memory of the block; null: the dynamic memory
  bool is_shared = false;
  std::optional<std::int64_t> offset;  // in the variable, if it is known
  std::int64_t least = 0;  // the known part of the offset
  std::int64_t bytes = 0;

  bool is_same_variable(const SharedPlace& other) const { return is_shared && variable == other.variable; }
  bool is_apart(const SharedPlace& other) const {
    return offset && other.offset && (*offset + bytes <= *other.offset || *other.offset + other.bytes <= *offset);
  }
};

SharedPlace place_of(const llvm::Value& address, llvm::Type& type, const llvm::DataLayout& layout) {
  const llvm::Value* const base = llvm::getUnderlyingObject(&address, 0);
  SharedPlace place;
  place.is_shared = calls(base, call::kShared) || calls(base, call::kDynamic);
  if (!place.is_shared) return place;
  if (calls(base, call::kShared)) place.variable = llvm::cast<llvm::CallInst>(base)->getArgOperand(0);
  place.bytes = static_cast<std::int64_t>(layout.getTypeStoreSize(&type).getFixedValue());
  const llvm::Value* left = &address;
  if (left == base) place.offset = 0;
  for (bool is_known = true; left != base;) {
    llvm::APInt offset(layout.getIndexTypeSizeInBits(left->getType()), 0);
    left = left->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
    place.least += offset.getSExtValue();
    if (left == base && is_known) place.offset = place.least;
    if (left == base) break;
    const auto* const step = llvm::dyn_cast<llvm::GEPOperator>(left);
    if (step == nullptr) break;
    is_known = false;
    left = step->getPointerOperand();
  }
  return place;
}

/// The warning in the log.
class RaceWarning final : public llvm::DiagnosticInfo {
 public:
  explicit RaceWarning(const std::string& text)
      : DiagnosticInfo(llvm::DK_FirstPluginKind, llvm::DS_Warning), text_(text) {}
  void print(llvm::DiagnosticPrinter& printer) const override { printer << text_; }

 private:
  const std::string& text_;
};

/// The reads and writes of a kernel that form such races, and the barriers to insert between them.
class Broadcasts {
 public:
  Broadcasts(llvm::Function& kernel, llvm::UniformityInfo& uniformity)
      : kernel_(kernel), uniformity_(uniformity), layout_(kernel.getDataLayout()), dominators_(kernel) {
    note_reads();
    if (!reads_.empty()) note_ways();
  }

  void part();

 private:
  llvm::SmallVector<llvm::Instruction*> writes() const;
  void part_before(llvm::Instruction& write) const;
  void note_reads();
  void note_ways();
  void follow(const llvm::BasicBlock& from, const llvm::BasicBlock* to, Way way);
  bool is_met_by_all(const llvm::BasicBlock& block) const;
  llvm::Instruction* place_before(llvm::Instruction& write) const;
  const llvm::LoadInst* read_before(const llvm::Instruction& place, const SharedPlace& written) const;
  const llvm::LoadInst* read_up_to(const llvm::Instruction* last, const SharedPlace& written) const;
  const llvm::LoadInst* as_read(const llvm::Instruction& one, const SharedPlace& written) const;
  void warn(const llvm::LoadInst& read, const llvm::Instruction& write, const SharedPlace& written) const;

  llvm::Function& kernel_;
  llvm::UniformityInfo& uniformity_;
  const llvm::DataLayout& layout_;
  const llvm::DominatorTree dominators_;
  llvm::DenseMap<const llvm::Instruction*, SharedPlace> reads_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::DenseSet<Way>> ways_;  // divergent edges that lead to each basic block
};

void Broadcasts::note_ways() {
  const llvm::PostDominatorTree behind(kernel_);
  for (const llvm::BasicBlock& block : kernel_) {
    if (!uniformity_.hasDivergentTerminator(block)) continue;
    const auto* const node = behind.getNode(&block);
    const auto* const next = node == nullptr ? nullptr : node->getIDom();
    const llvm::BasicBlock* const join = next == nullptr ? nullptr : next->getBlock();
    const llvm::Instruction& end = *block.getTerminator();
    for (unsigned i = 0; i < end.getNumSuccessors(); ++i) follow(*end.getSuccessor(i), join, {&block, i});
  }
}

void Broadcasts::follow(const llvm::BasicBlock& from, const llvm::BasicBlock* to, Way way) {
  llvm::SmallVector<const llvm::BasicBlock*> left{&from};
  while (!left.empty()) {
    const llvm::BasicBlock* const block = left.pop_back_val();
    if (block == to || !ways_[block].insert(way).second) continue;
    left.append(llvm::succ_begin(block), llvm::succ_end(block));
  }
}

// Returns true if all warps that have not ended reach `block`. The source must guarantee that for its barriers. So it
// holds for a block to which no other divergent edges lead than to a barrier.
bool Broadcasts::is_met_by_all(const llvm::BasicBlock& block) const {
  const auto own = ways_.find(&block);
  if (own == ways_.end()) return true;
  return llvm::any_of(kernel_, [&](const llvm::BasicBlock& other) {
    const auto its = ways_.find(&other);
    if (its == ways_.end() || its->second.size() < own->second.size()) return false;
    return llvm::any_of(other, [](const llvm::Instruction& one) { return is_barrier(&one); }) &&
           llvm::all_of(own->second, [&](const Way& way) { return its->second.contains(way); });
  });
}

// Returns the place that all warps reach before some of them reach `write`; null if none exists.
llvm::Instruction* Broadcasts::place_before(llvm::Instruction& write) const {
  if (is_met_by_all(*write.getParent())) return &write;
  for (const auto* node = dominators_.getNode(write.getParent())->getIDom(); node != nullptr; node = node->getIDom()) {
    if (is_met_by_all(*node->getBlock())) return node->getBlock()->getTerminator();
  }
  return nullptr;
}

// Records the reads of one place by all threads.
void Broadcasts::note_reads() {
  for (const llvm::Instruction& one : llvm::instructions(kernel_)) {
    const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&one);
    if (load == nullptr || !load->isSimple() || uniformity_.isDivergent(load->getPointerOperand())) continue;
    const SharedPlace place = place_of(*load->getPointerOperand(), *load->getType(), layout_);
    if (place.is_shared) reads_[load] = place;
  }
}

// Returns `one` if it is such a read and may overlap `written`; else null.
const llvm::LoadInst* Broadcasts::as_read(const llvm::Instruction& one, const SharedPlace& written) const {
  const auto read = reads_.find(&one);
  if (read == reads_.end() || !read->second.is_same_variable(written) || read->second.is_apart(written)) return nullptr;
  return llvm::cast<llvm::LoadInst>(&one);
}

// Returns the last such read in a basic block, at or before `last`, with no barrier after it, or null. `last` may be
// null.
const llvm::LoadInst* Broadcasts::read_up_to(const llvm::Instruction* last, const SharedPlace& written) const {
  for (; last != nullptr && !is_barrier(last); last = last->getPrevNode()) {
    if (const llvm::LoadInst* const read = as_read(*last, written)) return read;
  }
  return nullptr;
}

// Returns true if the basic block has no barrier at or before `last`, which may be null.
bool is_open_before(const llvm::Instruction* last) {
  while (last != nullptr && !is_barrier(last)) last = last->getPrevNode();
  return last == nullptr;
}

void add_ends_before(const llvm::BasicBlock& block, llvm::SmallVectorImpl<const llvm::Instruction*>& ends) {
  for (const llvm::BasicBlock* const before : llvm::predecessors(&block)) ends.push_back(before->getTerminator());
}

// Returns such a read that may run between the last barrier and `place`, or null.
const llvm::LoadInst* Broadcasts::read_before(const llvm::Instruction& place, const SharedPlace& written) const {
  const llvm::Instruction* const first = place.getPrevNode();
  if (const llvm::LoadInst* const read = read_up_to(first, written)) return read;
  llvm::SmallVector<const llvm::Instruction*> left;
  if (is_open_before(first)) add_ends_before(*place.getParent(), left);
  llvm::DenseSet<const llvm::BasicBlock*> seen;
  while (!left.empty()) {
    const llvm::Instruction* const end = left.pop_back_val();
    if (!seen.insert(end->getParent()).second) continue;
    if (const llvm::LoadInst* const read = read_up_to(end, written)) return read;
    if (is_open_before(end)) add_ends_before(*end->getParent(), left);
  }
  return nullptr;
}

// Returns the name of a kernel, which may be a copy: "k.2".
std::string name_of(const llvm::Function& kernel) {
  const llvm::StringRef name = kernel.getName();
  const llvm::StringRef without = name.rtrim("0123456789");
  return (without.ends_with('.') ? without.drop_back() : name).str();
}

// Warns only of certain races: two alternating tiles are one variable as well.
void Broadcasts::warn(const llvm::LoadInst& read, const llvm::Instruction& write, const SharedPlace& written) const {
  const SharedPlace& place = reads_.find(&read)->second;
  if (!place.offset || written.least > *place.offset) return;
  const std::string text = "kernel \"" + name_of(kernel_) +
                           "\" overwrites shared memory that all its threads read, with no barrier between, which is a "
                           "race. Put __syncthreads() before what writes" +
                           location_of(write) + " It is read here" + location_of(read);
  kernel_.getContext().diagnose(RaceWarning(text));
}

// Returns all stores and atomic operations, in reverse post-order of their basic blocks.
llvm::SmallVector<llvm::Instruction*> Broadcasts::writes() const {
  llvm::SmallVector<llvm::Instruction*> found;
  for (llvm::BasicBlock* const block : llvm::ReversePostOrderTraversal<llvm::Function*>(&kernel_)) {
    for (llvm::Instruction& one : *block) {
      if (llvm::isa<llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(one)) found.push_back(&one);
    }
  }
  return found;
}

// Returns the place that `write`, a store or an atomic operation, writes.
SharedPlace place_written(llvm::Instruction& write, const llvm::DataLayout& layout) {
  if (const auto* const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&write))
    return place_of(*update->getPointerOperand(), *update->getType(), layout);
  if (const auto* const swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&write))
    return place_of(*swap->getPointerOperand(), *swap->getNewValOperand()->getType(), layout);
  return place_of(*llvm::getLoadStorePointerOperand(&write), *llvm::getLoadStoreType(&write), layout);
}

// Warns of a race with `write`, and inserts a barrier between it and the read where all warps reach one.
void Broadcasts::part_before(llvm::Instruction& write) const {
  const SharedPlace written = place_written(write, layout_);
  if (!written.is_shared) return;
  llvm::Instruction* const place = place_before(write);
  const llvm::LoadInst* const read = read_before(place == nullptr ? write : *place, written);
  if (read == nullptr) return;
  warn(*read, write, written);
  if (place == nullptr) return;
  llvm::IRBuilder<> builder(place);
  make_call(builder, call::kBarrier, builder.getVoidTy());
}

void Broadcasts::part() {
  if (reads_.empty()) return;
  for (llvm::Instruction* const write : writes()) part_before(*write);
}

}  // namespace

llvm::PreservedAnalyses BroadcastBarriersPass::run(llvm::Function& kernel, llvm::FunctionAnalysisManager&) {
  const bool is_one_warp =
      shape_.extents && (*shape_.extents)[0] * (*shape_.extents)[1] * (*shape_.extents)[2] <= shape_.lanes;
  if (is_one_warp || shape_.are_all_in_lockstep() || !has_call(kernel, call::kBarrier))
    return llvm::PreservedAnalyses::none();
  DivergentAnalyses of_block(/*in_lockstep=*/true);
  Broadcasts(kernel, of_block.functions.getResult<llvm::UniformityInfoAnalysis>(kernel)).part();
  return llvm::PreservedAnalyses::none();
}

}  // namespace kmux::simt

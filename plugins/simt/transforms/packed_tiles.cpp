// Tiles that blocks of the grid share. The first block of a column packs the tiles that all of them read. The first
// block of a row does so with the data that all of them copy to shared memory. The rows of an unpacked tile often map
// to few sets of a cache. The other blocks run a copy of the loop that reads the packed data.
#include "simt/transforms/packed_tiles.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "llvm/ADT/BitVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {
namespace {

/// The values that are the same, in the same iteration of a loop with `header`, for all blocks that differ only in the
/// index `other`.
class GridValues {
 public:
  GridValues(const llvm::BasicBlock& header, std::string_view other) : header_(header), other_(other) {}
  bool has(const llvm::Value* value) {
    const auto* const one = llvm::dyn_cast<llvm::Instruction>(value);
    if (one == nullptr || !seen_.insert(one).second) return true;
    if (calls(one, other_) || one->mayReadOrWriteMemory()) return false;
    if (llvm::isa<llvm::PHINode>(one) && one->getParent() != &header_) return false;
    return std::ranges::all_of(one->operand_values(), [this](const llvm::Value* operand) { return has(operand); });
  }

 private:
  const llvm::BasicBlock& header_;
  const std::string_view other_;
  llvm::SmallPtrSet<const llvm::Instruction*, 32> seen_;
};

}  // namespace

bool is_same_across(const llvm::Value* value, const llvm::BasicBlock& body, std::string_view other) {
  return GridValues(body, other).has(value);
}

namespace {

/// A copy of a loop's body, which runs first, as long as the data that it reads elsewhere exists; the loop itself
/// continues then.
/// With an empty map: the loop itself.
struct BodyCopy {
  llvm::ValueToValueMapTy map;
  llvm::BasicBlock* body = nullptr;

  template <class Value>
  Value* of(Value* value) const {
    llvm::Value* const copy = map.lookup(value);
    return copy == nullptr ? value : llvm::cast<Value>(copy);
  }
};

/// Shared memory into which each iteration of a loop copies data, and which it then reads. The data is the same for all
/// blocks of a grid row.
class RowCopy {
 public:
  RowCopy(llvm::BasicBlock& body, llvm::Instruction& memory) : body_(body), memory_(memory) {}

  /// Returns true if the memory has this use and no other.
  bool holds(const std::vector<Tile>& of_column) {
    return collect(memory_, 0) && !reads_.empty() &&
           std::ranges::all_of(stores_,
                               [&](const Access& access) {
                                 return is_copy(llvm::cast<llvm::StoreInst>(*access.instruction), of_column);
                               }) &&
           reads_what_is_stored();
  }
  std::uint64_t bytes() const {
    std::uint64_t end = 0;
    for (const Access& store : stores_) end = std::max(end, store.end());
    return llvm::alignTo(end, 64);
  }
  /// Redirects the accesses of `copy` to `place`, which already has the data if `is_there`.
  void move(const BodyCopy& copy, llvm::IRBuilder<>& builder, llvm::Value* place, bool is_there) const;
  llvm::Value* memory() const { return &memory_; }

 private:
  struct Access {
    llvm::Instruction* instruction;
    std::uint64_t offset;
    std::uint64_t bytes;
    std::uint64_t end() const { return offset + bytes; }
  };
  bool collect(llvm::Value& address, std::int64_t offset);
  bool is_copy(const llvm::StoreInst& store, const std::vector<Tile>& of_column) const;
  bool reads_what_is_stored() const;

  llvm::BasicBlock& body_;
  llvm::Instruction& memory_;
  std::vector<Access> stores_, reads_;
};

bool RowCopy::collect(llvm::Value& address, std::int64_t offset) {
  const llvm::DataLayout& layout = body_.getDataLayout();
  return llvm::all_of(address.users(), [&](llvm::User* user) {
    if (auto* const element = llvm::dyn_cast<llvm::GEPOperator>(user)) {
      llvm::APInt more(64, 0);
      return element->accumulateConstantOffset(layout, more) && collect(*element, offset + more.getSExtValue());
    }
    auto* const one = llvm::cast<llvm::Instruction>(user);
    if (llvm::getLoadStorePointerOperand(one) != &address || one->getParent() != &body_ || offset < 0) return false;
    const std::uint64_t bytes = layout.getTypeStoreSize(llvm::getLoadStoreType(one)).getFixedValue();
    auto& accesses = llvm::isa<llvm::StoreInst>(one) ? stores_ : reads_;
    accesses.push_back({one, static_cast<std::uint64_t>(offset), bytes});
    return offset + static_cast<std::int64_t>(bytes) <= static_cast<std::int64_t>(kKeptBytes);
  });
}

bool RowCopy::is_copy(const llvm::StoreInst& store, const std::vector<Tile>& of_column) const {
  const auto* const from = llvm::dyn_cast<llvm::LoadInst>(store.getValueOperand());
  if (from == nullptr || from->getParent() != &body_ || !from->hasOneUse()) return false;
  const auto has_it = [&](const Tile& tile) { return llvm::is_contained(tile, from); };
  return llvm::isa<llvm::Argument>(llvm::getUnderlyingObject(from->getPointerOperand())) &&
         std::ranges::none_of(of_column, has_it) && is_same_across(from->getPointerOperand(), body_, call::kBlock[0]);
}

bool RowCopy::reads_what_is_stored() const {
  llvm::BitVector stored(static_cast<unsigned>(kKeptBytes));
  for (const Access& store : stores_)
    stored.set(static_cast<unsigned>(store.offset), static_cast<unsigned>(store.end()));
  return std::ranges::all_of(reads_, [&](const Access& read) {
    const auto is_before = [&](const Access& store) { return store.instruction->comesBefore(read.instruction); };
    return std::ranges::all_of(stores_, is_before) &&
           stored.find_first_unset_in(static_cast<unsigned>(read.offset), static_cast<unsigned>(read.end())) < 0;
  });
}

void RowCopy::move(const BodyCopy& copy, llvm::IRBuilder<>& builder, llvm::Value* place, bool is_there) const {
  const auto reach = [&](const Access& access, unsigned operand) {
    llvm::Value* const there = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), place, access.offset);
    copy.of(access.instruction)->setOperand(operand, there);
  };
  for (const Access& read : reads_) reach(read, 0);
  for (const Access& access : stores_) {
    if (!is_there) {
      reach(access, 1);
      continue;
    }
    llvm::Instruction* const store = copy.of(access.instruction);
    auto* const copied = llvm::cast<llvm::Instruction>(store->getOperand(0));
    store->eraseFromParent();
    copied->eraseFromParent();
  }
}

// Returns such copies of `body`. Tiles `of_column` are packed anyway.
std::vector<RowCopy> row_copies(llvm::BasicBlock& body, const std::vector<Tile>& of_column) {
  std::vector<llvm::Instruction*> shared;
  for (llvm::Instruction& one : llvm::instructions(*body.getParent())) {
    if (calls(&one, call::kShared)) shared.push_back(&one);
  }
  std::vector<RowCopy> found;
  for (llvm::Instruction* const memory : shared) {
    const auto is_same = [&](const llvm::Instruction* one) { return one->getOperand(0) == memory->getOperand(0); };
    RowCopy copy(body, *memory);
    if (std::ranges::count_if(shared, is_same) == 1 && copy.holds(of_column)) found.push_back(std::move(copy));
  }
  return found;
}

/// Memory for data that iterations of a loop read: a kmux_cpu_tiles, then as many iterations as fit.
struct Store {
  Store(llvm::IRBuilder<>& builder, std::string_view name, std::uint64_t all, std::uint64_t of_iteration)
      : bytes(of_iteration) {
    llvm::Type* const i32 = builder.getInt32Ty();
    memory = make_call(builder, name, builder.getPtrTy());
    filled = builder.CreateLoad(i32, memory);
    llvm::Value* const shared = builder.CreateLoad(i32, builder.CreateConstInBoundsGEP1_64(i32, memory, 1));
    const auto room = static_cast<std::uint32_t>((all - kTilesHeaderBytes) / bytes);
    most = builder.CreateMul(shared, builder.getInt32(room));
  }
  llvm::Value* place(llvm::IRBuilder<>& builder, llvm::Value* iteration) const {
    llvm::Type* const i8 = builder.getInt8Ty();
    llvm::Value* const index = builder.CreateZExt(iteration, builder.getInt64Ty());
    llvm::Value* const first = builder.CreateConstInBoundsGEP1_64(i8, memory, kTilesHeaderBytes);
    return builder.CreateInBoundsGEP(i8, first, builder.CreateMul(index, builder.getInt64(bytes)));
  }
  // `done`: iterations that the loop itself has run
  void close(llvm::IRBuilder<>& builder, llvm::Value* done) const {
    llvm::Value* const kept = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, done, most);
    builder.CreateStore(builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, kept, filled), memory);
  }

  std::uint64_t bytes;  // per iteration
  llvm::Value* memory;
  llvm::Value* filled;  // iterations that it has
  llvm::Value* most;  // iterations that it may have
};

/// A loop that reads tiles which are the same for all blocks of a column. One copy of it reads the tiles that the first
/// block packed. Another copy also reads the data that the first block of the row kept.
class PackedLoop {
 public:
  PackedLoop(const llvm::Loop& loop, std::vector<Tile> tiles)
      : body_(*loop.getHeader()),
        before_(*loop.getLoopPreheader()),
        exit_(*loop.getExitBlock()),
        tiles_(std::move(tiles)),
        rows_(row_copies(body_, tiles_)) {}

  void write() {
    fence();
    count();
    clone(packed_, ".packed");
    if (!rows_.empty()) clone(kept_, ".kept");
    enter();
    leave();
    read(packed_);
    if (!rows_.empty()) read(kept_);
    if (!rows_.empty()) move_rows();
  }
  /// Makes the loop itself store the tiles that it reads. The loop has several basic blocks then.
  void keep();

 private:
  template <class Use>
  void for_each_row(llvm::IRBuilder<>& builder, llvm::Value* iteration, Use use);
  void fence();
  void count();
  void clone(BodyCopy& copy, const char* name);
  void enter();
  llvm::BasicBlock& put_before(llvm::BasicBlock& rest, const BodyCopy& copy, llvm::Value* filled);
  void leave();
  void read(const BodyCopy& copy);
  void move_rows();

  llvm::BasicBlock& body_;
  llvm::BasicBlock& before_;
  llvm::BasicBlock& exit_;
  const std::vector<Tile> tiles_;
  const std::vector<RowCopy> rows_;
  BodyCopy packed_;  // reads packed tiles
  BodyCopy kept_;  // reads these and copies of the row; empty if the row has none
  std::optional<Store> column_, row_;
  llvm::PHINode* iteration_ = nullptr;  // of the loop
};

// Calls `use` for each row. The rows of a tile are contiguous, and so are the tiles of an iteration.
template <class Use>
void PackedLoop::for_each_row(llvm::IRBuilder<>& builder, llvm::Value* iteration, Use use) {
  llvm::Value* const place = column_->place(builder, iteration);
  std::uint64_t offset = 0;
  for (const Tile& tile : tiles_) {
    for (llvm::LoadInst* const row : tile) {
      use(row, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), place, offset));
      offset += body_.getDataLayout().getTypeAllocSize(row->getType()).getFixedValue();
    }
  }
}

// Keeps LLVM from forwarding elements of another tile from the registers that loaded its rows: the rows would have no
// registers left.
void PackedLoop::fence() {
  for (llvm::Instruction& one : llvm::make_early_inc_range(body_)) {
    if (!is_barrier(&one)) continue;
    llvm::IRBuilder<> builder(&one);
    auto* const type = llvm::FunctionType::get(builder.getVoidTy(), false);
    builder.CreateCall(llvm::InlineAsm::get(type, "", "~{memory}", /*hasSideEffects=*/true));
  }
}

void PackedLoop::count() {
  llvm::IRBuilder<> builder(&body_, body_.begin());
  iteration_ = builder.CreatePHI(builder.getInt32Ty(), 2, "iteration");
  builder.SetInsertPoint(body_.getTerminator());
  iteration_->addIncoming(builder.getInt32(0), &before_);
  iteration_->addIncoming(builder.CreateAdd(iteration_, builder.getInt32(1)), &body_);
}

void PackedLoop::clone(BodyCopy& copy, const char* name) {
  copy.body = llvm::CloneBasicBlock(&body_, copy.map, name, body_.getParent());
  copy.map[&body_] = copy.body;
  llvm::remapInstructionsInBlocks({copy.body}, copy.map);
  for (llvm::PHINode& phi : exit_.phis()) phi.addIncoming(copy.of(phi.getIncomingValueForBlock(&body_)), copy.body);
}

void PackedLoop::enter() {
  std::uint64_t bytes = 0, row_bytes = 0;
  for (const Tile& tile : tiles_)
    bytes += tile.size() * body_.getDataLayout().getTypeAllocSize(tile.front()->getType()).getFixedValue();
  for (const RowCopy& row : rows_) row_bytes += row.bytes();
  llvm::IRBuilder<> builder(before_.getTerminator());
  column_.emplace(builder, call::kPacked, kPackedBytes, bytes);
  if (row_bytes != 0) row_.emplace(builder, call::kKept, kKeptBytes, row_bytes);
  llvm::Value* const both =
      row_ ? builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, column_->filled, row_->filled) : nullptr;
  llvm::BasicBlock& rest = put_before(body_, packed_, column_->filled);
  if (row_) put_before(rest, kept_, both);
}

// Makes the path from before_ to `rest` run through `copy` for the iterations below `filled`. `rest` must begin with
// the phis of an iteration. Returns the first basic block of that path.
llvm::BasicBlock& PackedLoop::put_before(llvm::BasicBlock& rest, const BodyCopy& copy, llvm::Value* filled) {
  llvm::IRBuilder<> here(llvm::BasicBlock::Create(body_.getContext(), "here", body_.getParent()));
  llvm::IRBuilder<> more(llvm::BasicBlock::Create(body_.getContext(), "more", body_.getParent()));
  before_.getTerminator()->replaceSuccessorWith(&rest, here.GetInsertBlock());
  copy.body->getTerminator()->replaceSuccessorWith(copy.body, more.GetInsertBlock());
  for (auto [own, its] : llvm::zip(body_.phis(), rest.phis())) {
    llvm::Value* const next = copy.of(own.getIncomingValueForBlock(&body_));
    llvm::PHINode* const first = here.CreatePHI(own.getType(), 1);
    first->addIncoming(its.getIncomingValueForBlock(&before_), &before_);
    llvm::PHINode* const copied = copy.of(&own);
    copied->setIncomingValueForBlock(&before_, first);
    copied->replaceIncomingBlockWith(&before_, here.GetInsertBlock());
    copied->replaceIncomingBlockWith(copy.body, more.GetInsertBlock());
    its.setIncomingValueForBlock(&before_, first);
    its.replaceIncomingBlockWith(&before_, here.GetInsertBlock());
    its.addIncoming(next, more.GetInsertBlock());
  }
  const auto go_on = [&](llvm::IRBuilder<>& from, llvm::Value* iteration) {
    from.CreateCondBr(from.CreateICmpULT(iteration, filled), copy.body, &rest);
  };
  go_on(here, &here.GetInsertBlock()->front());
  go_on(more, copy.of(iteration_->getIncomingValueForBlock(&body_)));
  return *here.GetInsertBlock();
}

// Stores how many iterations exist now: those of the loop itself, and for a row also those that packed_ has copied.
void PackedLoop::leave() {
  llvm::IRBuilder<> builder(&exit_, exit_.begin());
  llvm::Value* const count = iteration_->getIncomingValueForBlock(&body_);
  const auto done = [&](llvm::Value* in_packed) {
    llvm::PHINode* const all = builder.CreatePHI(builder.getInt32Ty(), 3);
    all->addIncoming(count, &body_);
    all->addIncoming(in_packed, packed_.body);
    if (row_) all->addIncoming(builder.getInt32(0), kept_.body);
    return all;
  };
  llvm::Value* const of_column = done(builder.getInt32(0));
  llvm::Value* const of_row = row_ ? done(packed_.of(count)) : nullptr;
  builder.SetInsertPoint(&exit_, exit_.getFirstInsertionPt());
  column_->close(builder, of_column);
  if (row_) row_->close(builder, of_row);
}

void PackedLoop::read(const BodyCopy& copy) {
  llvm::IRBuilder<> builder(copy.body, copy.body->getFirstInsertionPt());
  for_each_row(builder, copy.of(iteration_), [&](llvm::LoadInst* row, llvm::Value* from) {
    auto* const load = llvm::cast<llvm::LoadInst>(copy.of(row));
    load->setOperand(0, from);
    load->dropUnknownNonDebugMetadata();
  });
}

// Redirects copies of the row to the store if it has room, where the next blocks find them; else they go to shared
// memory.
void PackedLoop::move_rows() {
  const auto move = [&](const BodyCopy& copy, bool is_there) {
    llvm::IRBuilder<> builder(copy.body, copy.body->getFirstInsertionPt());
    llvm::Value* const iteration = copy.of(iteration_);
    llvm::Value* place = row_->place(builder, iteration);
    llvm::Value* const is_room = is_there ? nullptr : builder.CreateICmpULT(iteration, row_->most);
    for (const RowCopy& row : rows_) {
      row.move(copy, builder, is_there ? place : builder.CreateSelect(is_room, place, row.memory()), is_there);
      place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), place, row.bytes());
    }
  };
  BodyCopy loop;
  loop.body = &body_;
  move(loop, false);
  move(packed_, false);
  move(kept_, true);
}

void PackedLoop::keep() {
  llvm::Instruction* const behind = tiles_.back().back()->getNextNode();
  llvm::IRBuilder<> builder(behind);
  llvm::Value* const is_room = builder.CreateICmpULT(iteration_, column_->most);
  builder.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(is_room, behind, /*Unreachable=*/false));
  for_each_row(builder, iteration_,
               [&](llvm::LoadInst* row, llvm::Value* to) { builder.CreateAlignedStore(row, to, row->getAlign()); });
}

}  // namespace

void pack_tiles(llvm::Loop& loop, std::vector<Tile> tiles, llvm::function_ref<void()> between) {
  PackedLoop packed(loop, std::move(tiles));
  packed.write();
  between();
  packed.keep();
}

}  // namespace kmux::simt

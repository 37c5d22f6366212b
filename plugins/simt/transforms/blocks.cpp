#include "simt/transforms/blocks.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "simt/analysis/block_shape.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/grid_rows.h"
#include "simt/analysis/thread_calls.h"
#include "simt/analysis/warp_index.h"
#include "simt/runtime/launch.h"
#include "simt/transforms/barriers.h"
#include "simt/transforms/join_values.h"
#include "simt/transforms/packed_tiles.h"
#include "simt/transforms/tiles.h"

// LLVM's globals define operators new and delete, which GCC 12 takes for a mismatched pair under a sanitizer.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace kmux::simt {
namespace {

using Three = std::array<llvm::Value*, 3>;

// The indices of fields of kmux_cpu_grid (runtime/launch.h).
constexpr unsigned kGridField = 0;
constexpr unsigned kBlockField = 3;
constexpr unsigned kCooperativeField = 12;
constexpr unsigned kClusterField = 13;

constexpr unsigned kMaxGroupBlocks = 16;  // blocks that run in time slices
constexpr unsigned kMaxRowThreads = 1 << 14;  // threads of a row of blocks that run row by row; the row above is cached

// The indices of fields of kmux_cpu_pass, which precedes the memory of blocks that wait for the grid.
constexpr unsigned kGoesOnField = 2;
constexpr unsigned kWaitsField = 3;

std::uint64_t whole_lines(std::uint64_t bytes) {
  constexpr std::uint64_t kLine = 64;
  return (bytes + kLine - 1) / kLine * kLine;
}

/// The function of a chunk of blocks: computes values common to all of them, then runs one after another.
class Chunk {
 public:
  Chunk(llvm::Function& kernel, llvm::Function& warp, const BlockShape& shape, std::uint64_t shared_bytes)
      : warp_(warp),
        shape_(shape),
        shared_bytes_(shared_bytes),
        is_cooperative_(has_call(warp, call::kGridBarrier)),
        takes_turns_(has_call(warp, call::kTurn)),
        goes_by_rows_(!takes_turns_ && runs_row_by_row(warp, shape)),
        packs_(has_call(warp, call::kPacked)),
        keeps_(has_call(warp, call::kKept)),
        builder_(kernel.getContext()) {
    llvm::Type* const i64 = builder_.getInt64Ty();
    llvm::Type* const ptr = builder_.getPtrTy();
    auto* const type = llvm::FunctionType::get(builder_.getVoidTy(), {ptr, ptr, i64, i64, ptr}, false);
    function_ = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, kernel.getName() + ".blocks",
                                       kernel.getParent());
    function_->addFnAttrs(llvm::AttrBuilder(kernel.getContext(), kernel.getAttributes().getFnAttrs()));
    function_->removeFnAttr(llvm::Attribute::Memory);
    function_->addParamAttr(4, llvm::Attribute::NoAlias);  // memory of one worker
    function_->addFnAttr("stackrealign");  // else spilled vectors cross cache lines
  }

  BlocksFunction written() const { return {*function_, frame_bytes_, is_cooperative_, packs_ ? kMaxColumnBlocks : 0}; }
  void write(llvm::StructType* arguments);

 private:
  llvm::BasicBlock* add(const char* name) { return llvm::BasicBlock::Create(builder_.getContext(), name, function_); }
  Three load_three(unsigned first, const std::optional<std::array<unsigned, 3>>& known);
  Three load_cluster();
  llvm::Value* write_warps(llvm::BasicBlock* next_block);
  llvm::Value* blocks_from(llvm::Value* block, unsigned most);
  void write_group(llvm::Value* count, llvm::BasicBlock* next_group);
  void write_turns();
  void write_rows(llvm::Value* count, llvm::BasicBlock* next_group);
  void write_blocks();
  void place_memory(llvm::Value* begin);
  llvm::Value* memory_of(llvm::Value* block);
  void write_pass(llvm::PHINode* any_waits, llvm::Value* for_grid, llvm::BasicBlock* entry, llvm::BasicBlock* latch);
  llvm::Value* pass_field(unsigned field) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt32Ty(), function_->getArg(4), field);
  }
  Three block_index(llvm::Value* block);
  Three next_index(llvm::Value* blocks);
  void follow_column(llvm::Value* block);
  std::vector<Three> indices_in_step(llvm::Value* warp);
  void write_body(llvm::BasicBlock* next, const std::vector<Three>& indices);
  void replace_three(const std::string_view (&names)[3], const Three& with);
  void replace_warps(const std::vector<Three>& with);

  llvm::Function& warp_;
  const BlockShape& shape_;
  const std::uint64_t shared_bytes_;
  const bool is_cooperative_;  // blocks wait for each other; each has separate memory then, after a kmux_cpu_pass
  const bool takes_turns_;
  const bool goes_by_rows_;
  const bool packs_;  // packs tiles of columns
  const bool keeps_;  // keeps tiles of rows
  llvm::IRBuilder<> builder_;
  llvm::Function* function_;
  Three grid_{}, extents_{}, index_{};
  llvm::SmallVector<llvm::Value*> arguments_;
  llvm::Value* shared_ = nullptr;
  llvm::Value* dynamic_ = nullptr;
  llvm::Value* frames_ = nullptr;
  llvm::Value* kept_ = nullptr;  // memory for tiles of the block's row
  llvm::Value* goes_on_ = nullptr;  // true if this is not the first pass
  WarpLoop group_{};  // of blocks that run in time slices
  std::uint64_t frame_bytes_ = 0;
};

Three Chunk::load_three(unsigned first, const std::optional<std::array<unsigned, 3>>& known) {
  Three values{};
  for (unsigned i = 0; i < 3; ++i) {
    llvm::Type* const i32 = builder_.getInt32Ty();
    if (known)
      values[i] = builder_.getInt32((*known)[i]);
    else
      values[i] = builder_.CreateLoad(i32, builder_.CreateConstInBoundsGEP1_64(i32, function_->getArg(1), first + i));
  }
  return values;
}

// Returns the extents of a cluster, nothing if no code reads them. A launch without clusters has clusters of one block.
Three Chunk::load_cluster() {
  const auto is_read = [&](std::string_view name) { return has_call(warp_, name); };
  if (std::ranges::none_of(call::kClusterDim, is_read)) return {};
  Three extents = load_three(kClusterField, {});
  for (llvm::Value*& one : extents)
    one = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, one, builder_.getInt32(1));
  return extents;
}

void Chunk::replace_three(const std::string_view (&names)[3], const Three& with) {
  for (unsigned i = 0; i < 3; ++i) replace_calls(*function_, names[i], with[i]);
}

void Chunk::replace_warps(const std::vector<Three>& with) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(*function_))) {
    const auto* const name = std::ranges::find(call::kWarp, called(&instruction));
    if (name == std::end(call::kWarp)) continue;
    const auto* const warp = llvm::cast<llvm::ConstantInt>(llvm::cast<llvm::CallInst>(instruction).getArgOperand(0));
    instruction.replaceAllUsesWith(with[warp->getZExtValue()][static_cast<std::size_t>(name - call::kWarp)]);
    instruction.eraseFromParent();
  }
}

// Returns the indices of the warps that run in lockstep as number `warp`.
std::vector<Three> Chunk::indices_in_step(llvm::Value* warp) {
  llvm::Value* const first = builder_.CreateMul(warp, builder_.getInt32(shape_.warps), "", true, true);
  std::vector<Three> indices;
  indices.reserve(shape_.warps);
  for (unsigned i = 0; i < shape_.warps; ++i) {
    llvm::Value* const number = builder_.CreateAdd(first, builder_.getInt32(i), "", true, true);
    indices.push_back(warp_index(builder_, shape_, extents_, number));
  }
  return indices;
}

// Writes the code of warps with `indices`, which continues at `next`.
void Chunk::write_body(llvm::BasicBlock* next, const std::vector<Three>& indices) {
  llvm::BasicBlock* const body = add("body");
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  llvm::CallInst* const call = builder_.CreateCall(&warp_, arguments_);
  builder_.CreateBr(next);
  llvm::InlineFunctionInfo info;
  llvm::InlineFunction(*call, info, /*MergeAttributes=*/true, nullptr, /*InsertLifetime=*/false);
  replace_warps(indices);
}

// Writes the loop over the warps of a block. Returns a condition that is true if a warp waits for the grid.
llvm::Value* Chunk::write_warps(llvm::BasicBlock* next_block) {
  llvm::Value* const threads = builder_.CreateMul(builder_.CreateMul(extents_[0], extents_[1]), extents_[2]);
  const unsigned together = shape_.lanes * shape_.warps;
  llvm::Value* const count =
      builder_.CreateUDiv(builder_.CreateAdd(threads, builder_.getInt32(together - 1)), builder_.getInt32(together));
  WarpLoop loop = begin_loop(builder_, "warp", count, next_block);
  loop.memory = frames_;
  loop.goes_on = goes_on_;
  write_body(loop.latch, indices_in_step(loop.warp));
  end_loop(builder_, loop);
  const WarpWaits waits = add_barriers(*function_, loop);
  frame_bytes_ =
      packs_ ? whole_lines(tiles_bytes(keeps_) / shape_.warps + 1) : waits.frame_bytes;  // all are in lockstep there
  return waits.for_grid;
}

// Returns how many blocks from `block` on are in one row of the grid, at most `most`.
llvm::Value* Chunk::blocks_from(llvm::Value* block, unsigned most) {
  const auto least = [&](llvm::Value* a, llvm::Value* b) {
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b);
  };
  llvm::Value* const count = least(builder_.CreateSub(function_->getArg(3), block), builder_.getInt64(most));
  return least(builder_.CreateTrunc(count, builder_.getInt32Ty()), builder_.CreateSub(grid_[0], index_[0]));
}

// Writes `count` blocks that run in time slices.
void Chunk::write_group(llvm::Value* count, llvm::BasicBlock* next_group) {
  group_ = begin_loop(builder_, "turn", count, next_group);
  Three index = index_;
  index[0] = builder_.CreateAdd(index[0], group_.warp);
  write_body(group_.latch, indices_in_step(builder_.getInt32(0)));
  add_barriers(*function_, {.count = builder_.getInt32(1)});
  end_loop(builder_, group_);
  replace_three(call::kBlock, index);
}

// Writes `count` blocks that run row by row: the first row of each, then the second ones.
void Chunk::write_rows(llvm::Value* count, llvm::BasicBlock* next_group) {
  const auto& [x, y, z] = *shape_.extents;
  const WarpLoop rows = begin_loop(builder_, "row", builder_.getInt32(y * z), next_group);
  llvm::Value* const row[] = {builder_.CreateURem(rows.warp, extents_[1]), builder_.CreateUDiv(rows.warp, extents_[1])};
  const WarpLoop blocks = begin_loop(builder_, "across", count, rows.latch);
  Three index = index_;
  index[0] = builder_.CreateAdd(index[0], blocks.warp);
  const WarpLoop warps = begin_loop(builder_, "warp", builder_.getInt32(x / shape_.lanes), blocks.latch);
  write_body(warps.latch, {{warps.warp, row[0], row[1]}});
  for (const WarpLoop& loop : {warps, blocks, rows}) end_loop(builder_, loop);
  replace_three(call::kBlock, index);
}

// Replaces the frames of a block's warps by the frames of a group.
void Chunk::write_turns() {
  Analyses analyses;
  analyses.complete();
  JoinValuesPass().run(*function_, analyses.functions);
  analyses.functions.clear();
  builder_.SetInsertPoint(function_->getEntryBlock().getTerminator());
  place_memory(function_->getArg(4));
  group_.memory = frames_;
  const std::uint64_t bytes = kMaxGroupBlocks * add_time_slices(*function_, group_);
  frame_bytes_ = whole_lines(bytes / shape_.warps);
}

// Returns the index in the grid of block number `block`.
Three Chunk::block_index(llvm::Value* block) {
  llvm::Type* const i32 = builder_.getInt32Ty();
  llvm::Value* const x = builder_.CreateZExt(grid_[0], block->getType());
  llvm::Value* const y = builder_.CreateZExt(grid_[1], block->getType());
  llvm::Value* const row = builder_.CreateUDiv(block, x);
  return {builder_.CreateTrunc(builder_.CreateURem(block, x), i32),
          builder_.CreateTrunc(builder_.CreateURem(row, y), i32),
          builder_.CreateTrunc(builder_.CreateUDiv(row, y), i32)};
}

// Returns the index that is `blocks` after `index_`; it must not pass the end of the row. A division per block would
// take as long as a small block.
Three Chunk::next_index(llvm::Value* blocks) {
  Three next{};
  for (unsigned i = 0; i < 3; ++i) {
    next[i] = builder_.CreateAdd(index_[i], blocks);
    llvm::Value* const carry = builder_.CreateICmpEQ(next[i], grid_[i]);
    blocks = builder_.CreateZExt(carry, builder_.getInt32Ty());
    if (i < 2) next[i] = builder_.CreateSelect(carry, builder_.getInt32(0), next[i]);
  }
  return next;
}

// Sets the index of `block` where tiles are packed: some blocks of a grid column run consecutively, then those of the
// next column.
void Chunk::follow_column(llvm::Value* block) {
  llvm::Type* const i32 = builder_.getInt32Ty();
  const auto part = [&](llvm::Value* all, llvm::Value* of) {
    return std::pair(builder_.CreateUDiv(all, of), builder_.CreateURem(all, of));
  };
  llvm::Value* const width = builder_.CreateZExt(grid_[0], block->getType());
  llvm::Value* const height = builder_.CreateZExt(grid_[1], block->getType());
  llvm::Value* const most = builder_.getInt64(kMaxColumnBlocks);
  const auto [layer, in_layer] = part(block, builder_.CreateMul(width, height));
  const auto [group, in_group] = part(in_layer, builder_.CreateMul(width, most));
  llvm::Value* const top = builder_.CreateMul(group, most);
  llvm::Value* const rows =
      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, builder_.CreateSub(height, top), most);
  const auto [column, row] = part(in_group, rows);
  index_ = {builder_.CreateTrunc(column, i32), builder_.CreateTrunc(builder_.CreateAdd(top, row), i32),
            builder_.CreateTrunc(layer, i32)};
  const auto both = [&](llvm::Value* low) { return builder_.CreateOr(low, builder_.CreateShl(layer, 32)); };
  const auto is_more = [&](llvm::Value* count) { return builder_.CreateICmpUGT(count, builder_.getInt64(1)); };
  own_tiles(builder_, frames_, both(column), is_more(rows));
  if (!keeps_) return;
  llvm::Value* const before = builder_.CreateMul(row, builder_.getInt64(kKeptBytes));
  kept_ = builder_.CreateInBoundsGEP(builder_.getInt8Ty(), frames_,
                                     builder_.CreateAdd(before, builder_.getInt64(kPackedBytes)));
  own_tiles(builder_, kept_, both(builder_.CreateAdd(top, row)), is_more(width));
}

void Chunk::write_blocks() {
  llvm::Type* const i64 = builder_.getInt64Ty();
  const Three first = block_index(function_->getArg(2));
  if (packs_) begin_tiles(builder_, frames_, keeps_);
  llvm::BasicBlock* const entry = builder_.GetInsertBlock();
  llvm::BasicBlock* const header = add("block");
  llvm::BasicBlock* const body = add("block.body");
  llvm::BasicBlock* const latch = add("block.next");
  llvm::BasicBlock* const end = add("end");
  builder_.CreateBr(header);
  builder_.SetInsertPoint(header);
  llvm::PHINode* const block = builder_.CreatePHI(i64, 2, "block");
  std::array<llvm::PHINode*, 3> index{};
  for (unsigned i = 0; i < 3; ++i) index_[i] = index[i] = builder_.CreatePHI(builder_.getInt32Ty(), 2);
  llvm::PHINode* const any_waits = is_cooperative_ ? builder_.CreatePHI(builder_.getInt1Ty(), 2) : nullptr;
  builder_.CreateCondBr(builder_.CreateICmpULT(block, function_->getArg(3)), body, end);
  builder_.SetInsertPoint(body);
  if (is_cooperative_) place_memory(memory_of(block));
  llvm::Value* for_grid = nullptr;
  llvm::Value* count = builder_.getInt32(1);
  if (takes_turns_) {
    count = blocks_from(block, kMaxGroupBlocks);
    write_group(count, latch);
  } else if (goes_by_rows_) {
    count = blocks_from(block, std::max(kMaxRowThreads / (*shape_.extents)[0], 1U));
    write_rows(count, latch);
  } else {
    if (packs_) follow_column(block);
    for_grid = write_warps(latch);
  }
  builder_.SetInsertPoint(latch);
  const Three place = std::exchange(index_, {index[0], index[1], index[2]});
  const Three next = next_index(count);
  index_ = place;
  block->addIncoming(function_->getArg(2), entry);
  block->addIncoming(builder_.CreateAdd(block, builder_.CreateZExt(count, i64), "", true, true), latch);
  for (unsigned i = 0; i < 3; ++i) {
    index[i]->addIncoming(first[i], entry);
    index[i]->addIncoming(next[i], latch);
  }
  builder_.CreateBr(header);
  builder_.SetInsertPoint(end);
  if (is_cooperative_) write_pass(any_waits, for_grid, entry, latch);
  builder_.CreateRetVoid();
}

// Sets the places in the memory of one block: its static shared variables, the dynamic memory, a frame per warp.
void Chunk::place_memory(llvm::Value* begin) {
  llvm::Type* const i8 = builder_.getInt8Ty();
  llvm::Type* const i64 = builder_.getInt64Ty();
  shared_ = begin;
  dynamic_ = builder_.CreateConstInBoundsGEP1_64(i8, shared_, shared_bytes_);
  llvm::Value* const place =
      builder_.CreateConstInBoundsGEP1_64(i64, function_->getArg(1), 3);  // dynamic_bytes, rounded up
  frames_ = builder_.CreateInBoundsGEP(i8, dynamic_, builder_.CreateLoad(i64, place));
}

llvm::Value* Chunk::memory_of(llvm::Value* block) {
  llvm::Type* const i8 = builder_.getInt8Ty();
  llvm::Value* const all = builder_.CreateConstInBoundsGEP1_64(i8, function_->getArg(4), kmux_cpu_pass_bytes);
  llvm::Value* const bytes = builder_.CreateLoad(builder_.getInt64Ty(), function_->getArg(4));
  return builder_.CreateInBoundsGEP(i8, all, builder_.CreateMul(block, bytes));
}

// Stores a flag if any block waits. Threads that do so at the same time store the same value.
void Chunk::write_pass(llvm::PHINode* any_waits, llvm::Value* for_grid, llvm::BasicBlock* entry,
                       llvm::BasicBlock* latch) {
  llvm::BasicBlock* const waits = add("waits.say");
  llvm::BasicBlock* const done = add("done");
  builder_.CreateCondBr(any_waits, waits, done);
  builder_.SetInsertPoint(waits);
  llvm::StoreInst* const said =
      builder_.CreateAlignedStore(builder_.getInt32(1), pass_field(kWaitsField), llvm::Align(4));
  said->setAtomic(llvm::AtomicOrdering::Monotonic);
  builder_.CreateBr(done);
  any_waits->addIncoming(builder_.getFalse(), entry);
  builder_.SetInsertPoint(latch->getTerminator());
  any_waits->addIncoming(builder_.CreateOr(any_waits, for_grid), latch);
  builder_.SetInsertPoint(done);
}

void Chunk::write(llvm::StructType* arguments) {
  builder_.SetInsertPoint(add("entry"));
  for (unsigned i = 0; i < arguments->getNumElements(); ++i) {
    arguments_.push_back(builder_.CreateLoad(arguments->getElementType(i),
                                             builder_.CreateStructGEP(arguments, function_->getArg(0), i)));
  }
  grid_ = load_three(kGridField, {});
  extents_ = load_three(kBlockField, shape_.extents);
  const Three cluster = load_cluster();
  llvm::Value* const cooperative = builder_.CreateLoad(
      builder_.getInt32Ty(),
      builder_.CreateConstInBoundsGEP1_64(builder_.getInt32Ty(), function_->getArg(1), kCooperativeField));
  if (is_cooperative_) {
    goes_on_ = builder_.CreateICmpNE(builder_.CreateLoad(builder_.getInt32Ty(), pass_field(kGoesOnField)),
                                     builder_.getInt32(0));
  } else {
    place_memory(function_->getArg(4));
  }
  write_blocks();
  replace_calls(*function_, call::kCooperative, cooperative);
  replace_three(call::kBlock, index_);
  replace_three(call::kGridDim, grid_);
  replace_three(call::kBlockDim, extents_);
  if (cluster[0] != nullptr) replace_three(call::kClusterDim, cluster);
  replace_calls(*function_, call::kDynamic, dynamic_);
  replace_calls(*function_, call::kPacked, frames_);
  if (keeps_) replace_calls(*function_, call::kKept, kept_);
  replace_shared(*function_, shared_);
  if (takes_turns_) write_turns();
}

}  // namespace

BlocksFunction add_blocks(llvm::Function& kernel, llvm::Function& warp, llvm::StructType& arguments,
                          const BlockShape& shape, std::uint64_t shared_bytes) {
  Chunk chunk(kernel, warp, shape, shared_bytes);
  chunk.write(&arguments);
  return chunk.written();
}

}  // namespace kmux::simt

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kmux/error.h"

#include "check/fiber_launch.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "spmd/block_shape.h"

namespace llvm {
class TargetMachine;
}

// The passes that lower a kernel for one thread to a function that runs a grid, in their order. Each is in the source
// named above it.
namespace kmux::cpu::spmd {

// scalar_form.cpp

/// Defines integer division by zero, oversized shifts and non-canonical bools before LLVM exploits them as undefined
/// behaviour. A quotient by zero is some number. A shift by the width or more shifts out all bits. A byte of a bool is
/// true if it is not zero.
void define_arithmetic(llvm::Module& module);

/// Returns true if `division` may be a signed quotient or remainder of the least integer by -1.
bool may_overflow(const llvm::Instruction& division);

/// Returns the result of `division`, which may_overflow, for `dividend` and `divisor`. The least integer by -1 gives
/// itself, remainder 0.
llvm::Value* divided(llvm::IRBuilder<>& builder, const llvm::Instruction& division, llvm::Value* dividend,
                     llvm::Value* divisor);

/// Replaces each division of `function` that may_overflow. Vectorized code does so at the division itself: a divergent
/// test would hide that quotients of an index are uniform.
void guard_divisions(llvm::Function& function);

// threads.cpp

/// Returns the warp size, 32 or 64, that the lane exchanges and warp barriers of `kernel` assume; 0 if it has none.
unsigned seen_warp(const llvm::Function& kernel);

/// Erases warp barriers and their participant masks, once the warp size is known.
void erase_meetings(llvm::Function& kernel);

/// Inlines all calls of `kernel`, replaces its shared variables by offsets in the shared memory of the block, and
/// promotes memory to scalars. Returns the bytes of the static shared variables.
///
/// Errors: unsupported for recursion, indirect calls of unknown functions, arrays of dynamic size, and inline assembly,
///         with file and line if the module has them.
Result<std::uint64_t> join_calls(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

/// Checks that `function` has no code for another processor. Defined in engine/refusals.cpp, with the other checks that
/// refuse code by name.
///
/// Errors: unsupported for inline assembly and functions that device/ refuses, with file and line if the module has
///         them.
Status check_text(const llvm::Function& function);

/// The metadata kind of shared variables. All copies of one source variable have the same node, which holds its name if
/// that is known.
inline constexpr const char* kSharedMark = "kmux.variable";

/// Returns true if `text`, of an annotation in the source, marks its variable as shared.
bool is_shared_note(const llvm::Constant& text);

/// Returns the variables of `function` that an annotation or kSharedMark marks as shared.
std::vector<llvm::AllocaInst*> shared_variables(llvm::Function& function);

/// Erases those annotations from `function`, and the lifetime markers of its variables.
void erase_notes(llvm::Function& function);

/// Replaces arrays without extent in `function` by calls of call::kDynamic, which return the dynamic shared memory.
void place_dynamic(llvm::Function& function);

/// Replaces shared variables at namespace scope, and static ones in functions, by variables of the functions that use
/// them. As with other shared variables, each block has one instance.
void place_shared_globals(llvm::Module& module);

/// Replaces the thread index in `kernel` by warp index and lane. In a partial warp, only the threads that exist run the
/// body.
void place_threads(llvm::Function& kernel, const BlockShape& shape);

// endless_loops.cpp

/// Adds an exit that is never taken to each endless loop. Control flow must reach an end to be structurized.
void add_exits_to_endless_loops(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

// structure.cpp, fast_paths.cpp

/// Structurizes the control flow of `kernel` as `widen` requires. One successor of a divergent branch begins a
/// single-entry single-exit region; the other one is the exit of that region. Lanes leave a loop with a divergent exit
/// only from its latch. Before that, promotes memory to scalars and unrolls constant loops. `in_step`: for the lanes of
/// several warps in lockstep.
void structure(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, bool in_step);

/// Checks that no loop of structurized `kernel` waits for other threads of the block. Such a loop never ends: lanes run
/// in lockstep, and warps one after another.
///
/// Errors: unsupported if a loop waits.
Status check_waits(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

/// Duplicates the outermost divergent regions of `kernel` for a uniform path: if all lanes take the same branch, the
/// copy runs without masks. The copy of a loop runs until the first lane leaves it.
/// Errors: unsupported as `widen`.
Status add_fast_paths(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

// unroll.cpp

/// Unrolls the innermost loops of `kernel` that have barriers and "#pragma unroll N", for any trip count. LLVM does
/// not: its remainder loop would put barriers under a condition. Here each copy keeps its exit. `kernel` must be in
/// LCSSA form.
void unroll_barrier_loops(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

// scalar_form.cpp

/// Expands saturating casts of `kernel` from floating-point numbers to integers into instructions that have vector
/// forms.
void expand_casts(llvm::Function& kernel);

/// Expands bitcasts of vectors in `kernel` into operations on their elements, so that elements can replace the vectors.
void expand_vector_casts(llvm::Function& kernel);

/// Checks that no thread of `kernel` computes with a vector, which `widen` cannot vectorize.
///
/// Errors: unsupported if a thread has a vector.
Status check_scalars(const llvm::Function& kernel);

// in_step.cpp

/// Returns true if lockstep may pay off: the block has several warps, and the kernel a loop or a barrier. Must be
/// called before any other work on the lockstep form.
bool may_run_in_step(llvm::Function& kernel, const BlockShape& shape);

/// Returns the number of warps of `kernel`, structurized for lockstep, to run in lockstep: fewer if they need more
/// code. Returns 1 if lockstep does not pay off, or a barrier is in divergent code.
///
/// Errors: unsupported for control flow that is not structured.
Result<unsigned> warps_in_step(llvm::Function& kernel, const BlockShape& shape,
                               llvm::FunctionAnalysisManager& analyses);

/// Returns the position of warp number `warp` in a block with `extents`: its number in its row of x, and the row's y
/// and z.
std::array<llvm::Value*, 3> warp_index(llvm::IRBuilder<>& builder, const BlockShape& shape,
                                       const std::array<llvm::Value*, 3>& extents, llvm::Value* warp);

/// Forwards stores of `warp` to shared memory to later loads, and erases stores that no load reads. Does nothing unless
/// all warps of a block of `shape` run in lockstep. LLVM does not erase them: it must assume that the caller owns the
/// memory and reads it.
void forward_shared(llvm::Function& warp, const BlockShape& shape);

/// Returns true if `one` has no side effects but plain stores to arrays that are parameters.
bool is_harmless(const llvm::Instruction& one);

/// Returns true if the blocks of `warp` in one row of the grid may and should run row by row. The first rows of all
/// blocks run first, then the second ones, so that memory is accessed in address order. Threads must not wait for each
/// other, and the addresses of a block's row must follow those of the previous block's row.
bool goes_by_rows(llvm::Function& warp, const BlockShape& shape);

// Defined in check/broadcasts.cpp, with the other checks for invalid kernels.

/// Inserts a barrier where all threads of a block of `shape` read one place of shared memory that `kernel` then writes
/// with no barrier between. Applies where not all warps run in lockstep; `kernel` must be structurized. Warns of races
/// that are certain.
void part_broadcasts(llvm::Function& kernel, const BlockShape& shape);

// widen.cpp

/// Returns a new function that runs a warp of `lanes` threads of `kernel`, whose control flow must be structured.
/// Uniform values stay scalars; other values are vectors with an element per lane. A divergent region runs if any lane
/// takes it, with the other lanes masked. With several `warps`, these run in lockstep: each instruction runs for all of
/// them before the next one. Instructions that are uniform across warps run once. `kernel` is kept.
///
/// Errors: unsupported for control flow that is not structured.
Result<llvm::Function*> widen(llvm::Function& kernel, unsigned lanes, unsigned warps,
                              llvm::FunctionAnalysisManager& analyses);

// prefetches.cpp

/// Prefetches memory for the grid-stride loops of `warp`, vectorized for a block of `shape`, once a loop has covered
/// more than caches hold. The first such loop that a block enters before it writes its own memory also gets calls of
/// call::kTurn.
void add_prefetches(llvm::Function& warp, const BlockShape& shape);

/// Prefetches a value of `type` at `address`, line by line, into the second-level cache.
void ask_for(llvm::IRBuilder<>& builder, llvm::Value* address, llvm::Type& type);

// tiles.cpp

/// Prefetches the tiles that a loop with barriers reads, an iteration ahead, where their stride is too large for a
/// hardware prefetcher. Applies to `warp` vectorized for a block of `shape` whose warps all run in lockstep. Tiles that
/// are the same for all blocks of a grid column are packed contiguously by the first of them, at call::kPacked. The
/// others read them there. Shared memory that copies data common to the blocks of a row is kept likewise, at
/// call::kKept.
void place_tiles(llvm::Function& warp, const BlockShape& shape);

/// Marks `memory`, which must have tiles_bytes(has_rows), as empty at the beginning of a launch.
void begin_tiles(llvm::IRBuilder<>& builder, llvm::Value* memory, bool has_rows);
/// Resets `tiles` for `owner` if they belong to another owner. `is_shared`: true if another block reads them.
void own_tiles(llvm::IRBuilder<>& builder, llvm::Value* tiles, llvm::Value* owner, llvm::Value* is_shared);

// packed_tiles.cpp

/// The rows of a tile, one load each.
using Tile = std::vector<llvm::LoadInst*>;

/// Returns true if `value` is the same, in the same iteration of a loop, for all blocks that differ only in the index
/// `other`. The loop must have only the block `body`.
bool is_same_across(const llvm::Value* value, const llvm::BasicBlock& body, std::string_view other);

/// Shares reads of `loop` between blocks: `tiles` within a column of the grid, and copies to shared memory within a
/// row. `loop` must have one block and no outer loop. Calls `between` while the loop still has one block.
void pack_tiles(llvm::Loop& loop, std::vector<Tile> tiles, llvm::function_ref<void()> between);

/// Room for the tiles of a grid column, at call::kPacked, and of a row, at call::kKept. Tiles follow a kmux_cpu_tiles,
/// in the order of iterations. The tiles of one iteration stay in a first- or second-level cache. Units: bytes.
inline constexpr std::uint64_t kTilesHeaderBytes = 64;
inline constexpr std::uint64_t kPackedBytes = 256 << 10;
inline constexpr std::uint64_t kKeptBytes = (128 << 10) + kTilesHeaderBytes;
inline constexpr unsigned kMaxColumnBlocks = 16;  // consecutive blocks
/// Returns the bytes for a column and, with `has_rows`, for its rows.
constexpr std::uint64_t tiles_bytes(bool has_rows) {
  return kPackedBytes + (has_rows ? kMaxColumnBlocks * kKeptBytes : 0);
}

// join_values.cpp

/// Merges equal values of `group`, and expresses loop indices that are a constant apart by one of them.
void join_values(llvm::Function& group);

// barriers.cpp

/// A loop over the warps of a block. Its body is the code of a warp, or of several in lockstep, which count as one warp
/// here. Or a loop over the blocks of a group, each of which is one warp.
struct WarpLoop {
  llvm::PHINode* warp;  // the number of the warp, in `header`
  llvm::BasicBlock* header;  // computes values that the body needs from the number, then branches to it
  llvm::BasicBlock* latch;  // the end of the body; advances to the next warp
  llvm::BasicBlock* exit;
  llvm::Value* count;  // the number of warps
  llvm::Value* memory;  // frames, one per warp, aligned to 64 bytes
  llvm::Value* goes_on;  // true if the block resumes from its frames after a grid barrier; null: none exists
};

/// Begins a loop over `count` at the insertion point of `builder`, which is in the loop's header afterwards. `count`
/// must be at least 1. The loop branches to `exit` after the last warp.
WarpLoop begin_loop(llvm::IRBuilder<>& builder, const char* name, llvm::Value* count, llvm::BasicBlock* exit);
/// Writes the latch of `loop`.
void end_loop(llvm::IRBuilder<>& builder, const WarpLoop& loop);

/// The values that barriers add to a loop over warps.
struct WarpWaits {
  std::uint64_t frame_bytes = 0;  // per warp
  llvm::Value* for_grid = nullptr;  // at the loop's exit: true if a warp waits for the grid; null as `goes_on`
};

/// Makes the warps of `loop` wait for each other at barriers in the body. Each warp runs to its next barrier and saves
/// its live values in its spill frame; then the next warp runs. Rounds repeat until all warps have ended or wait for
/// the grid, where control leaves the block. A loop without barriers is not unrolled. Without barriers, frames have no
/// bytes. A single warp needs no barriers of its block; they are erased.
WarpWaits add_barriers(llvm::Function& block, const WarpLoop& loop);

/// Does the same for blocks of a group that run in time slices. Each runs to its next call of call::kTurn; then the
/// next one runs. Returns the bytes of a block's frame.
std::uint64_t add_turns(llvm::Function& group, const WarpLoop& loop);

// blocks.cpp

/// The function that runs the blocks of a kernel, and the facts that a launch needs.
struct BlocksFunction {
  llvm::Function& function;
  std::uint64_t frame_bytes;  // per warp, in the memory of a block
  bool is_cooperative;
  std::uint32_t column_rows;  // blocks of a grid column that run consecutively; 0: the grid runs row by row
};

/// Creates from `warp` the function
///
///     void NAME.blocks(const void* arguments, const kmux_cpu_grid*, uint64_t first, uint64_t end, char* memory)
///
/// which runs the blocks of `kernel`, NAME, from `first` to before `end` one after another. `arguments` is the memory
/// layout of its arguments; `shared_bytes` is the size of its static shared variables.
BlocksFunction add_blocks(llvm::Function& kernel, llvm::Function& warp, llvm::StructType& arguments,
                          const BlockShape& shape, std::uint64_t shared_bytes);

// lower.cpp

/// Runs LLVM's verifier on `function`.
///
/// Errors: internal with `problem`, followed by advice, if `function` is invalid.
Status check_code(const llvm::Function& function, const std::string& problem);

/// Runs all of these passes. Each of `kernels` must be written for one thread of a GPU. A function of the same name
/// that runs a grid of blocks on this processor replaces it. Kernels that cannot be vectorized run with one fiber per
/// thread; with `check`, all do (check/fiber_kernels.h). Returns the reason for each kernel that cannot be vectorized.
///
/// Errors: unsupported for code that cannot run here, named; the caller must not use the module then.
Result<std::vector<Error>> lower_kernels(llvm::Module& module, const BlockExtents& kernels, const CheckOptions& check);

// private_arrays.cpp

/// Suffixes of the names of the globals that describe a kernel to the runtime: kmux_cpu_kernel, kmux_cpu_fiber_kernel.
inline constexpr const char* kFactsOfBlocks = ".facts";
inline constexpr const char* kFactsOfFibers = ".fibers";

/// Returns true if `function` has an array of dynamic size.
bool has_dynamic_array(const llvm::Function& function);

/// Checks the sizes of private arrays.
///
/// Errors: unsupported if `kernel`, or a function that it calls, has larger arrays than a thread of a GPU may have.
Status check_private_arrays(llvm::Function& kernel);

/// Moves large private arrays that are left in the optimised `module` from the caller's stack into the memory of the
/// launch. Records the stack size that threads of kernels on fibers need.
void place_private_arrays(llvm::Module& module);

// engine/scales.cpp

/// Implements calls of "kmux.scale." (thread_calls.h) with AVX-512, in vectors as wide as `machine` prefers.
void place_scales(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace kmux::cpu::spmd

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

// The steps from a kernel for one thread to a function that runs a grid, in their order; each in the source of its name.
namespace kmux::cpu::spmd {

// scalar_form.cpp

/// Gives what C++ leaves undefined, and GPUs do not, a meaning before LLVM concludes from it: quotients by zero are some number, shifts
/// by the width and more leave nothing, and a byte of a bool is true if it is not zero.
void define_arithmetic(llvm::Module& module);

/// Returns true if `division` is a signed quotient or remainder that may be of the least integer by -1.
bool may_overflow(const llvm::Instruction& division);

/// Returns what `division`, which may_overflow, gives for `dividend` and `divisor`: the least integer by -1 is itself, remainder 0.
llvm::Value* divided(llvm::IRBuilder<>& builder, const llvm::Instruction& division, llvm::Value* dividend,
                     llvm::Value* divisor);

/// Replaces each division of `function` that may_overflow. Code of lanes does so where it divides: a test that differs from lane to
/// lane would hide that quotients of an index are the same in all lanes.
void guard_divisions(llvm::Function& function);

// threads.cpp

/// How many threads the warps have whose lanes `kernel` has exchange values, or wait for each other: 32 or 64; 0 if it has not.
unsigned seen_warp(const llvm::Function& kernel);

/// Removes what says which lanes of a warp wait for each other, once it is known how many threads are a warp.
void erase_meetings(llvm::Function& kernel);

/// Makes `kernel` one function of all that it calls, with its shared variables as places in the shared memory of the block, and scalars
/// instead of memory.
/// Returns the bytes of those.
///
/// Errors: unsupported for recursion, calls through pointers that are not known, and inline assembly, with file and line where
///         the module has those.
Result<std::uint64_t> join_calls(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

/// In engine/refusals.cpp, with what else is refused by name.
///
/// Errors: unsupported for what of `function` is for another processor: inline assembly, functions that device/ refuses, with file
///         and line where the module has those.
Status check_text(const llvm::Function& function);

/// Metadata of a shared variable: the same node on all that are one variable of the source, with its name if that is known.
inline constexpr const char* kSharedMark = "kmux.variable";

/// Does the constant `text` of a note in the source say that its variable is shared?
bool is_shared_note(const llvm::Constant& text);

/// The variables of `function` that notes of the source, or their marks, say are shared.
std::vector<llvm::AllocaInst*> shared_variables(llvm::Function& function);

/// Takes such notes out of `function`, and those of the lives of variables.
void erase_notes(llvm::Function& function);

/// Has `function` ask for the dynamic shared memory where it names an array without extent.
void place_dynamic(llvm::Function& function);

/// Makes of the shared variables that stand outside of functions, or are static within, variables of the functions that name
/// them: there is one for each block, as of others.
void place_shared_globals(llvm::Module& module);

/// Has `kernel` ask for lane and warp where it asked for the index of its thread. A warp that is not whole runs its body for
/// the threads that there are.
void place_threads(llvm::Function& kernel, const BlockShape& shape);

// endless_loops.cpp

/// Gives each loop without an exit one that is never taken, as control flow must have an end to be structured.
void add_exits_to_endless_loops(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

// structure.cpp, fast_paths.cpp

/// Brings the control flow of `kernel` into the form that `widen` takes: where lanes part, one branch goes to a region with
/// one entry and one exit and the other one to that exit; a loop that lanes leave one after another is left from its end alone.
/// Scalars instead of memory before that, constant loops unrolled. `in_step`: for the lanes of several warps in step.
void structure(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, bool in_step);

/// Errors: unsupported if `kernel`, structured, has a loop in which threads wait for what others of their block do, who would wait for
/// them: lanes go on together, and warps one after another.
Status check_waits(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

/// Doubles what lanes part for, outermost: where all lanes go the same way, nothing need be masked. A loop runs so until the
/// first lane leaves it.
/// Errors: unsupported as `widen`.
Status add_fast_paths(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

// unroll.cpp

/// Unrolls the innermost loops of `kernel` that have barriers and "#pragma unroll N", whatever their trip count. LLVM leaves them,
/// since a loop for the remainder would put barriers under a condition; here each copy keeps its exit. Needs LCSSA form.
void unroll_barrier_loops(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

// scalar_form.cpp

/// Has casts of `kernel` from floating-point numbers to integers, which give the nearest one, consist of what there is for vectors.
void expand_casts(llvm::Function& kernel);

/// Has `kernel` make the bits of vectors of their elements, and back, so that elements can take their place.
void expand_vector_casts(llvm::Function& kernel);

/// Errors: unsupported if a thread of `kernel` has a vector, which `widen` could not widen.
Status check_scalars(const llvm::Function& kernel);

// in_step.cpp

/// Can it be of use that warps run in step? There are several, and a loop or a barrier. Asked before anything is done for it.
bool may_run_in_step(llvm::Function& kernel, const BlockShape& shape);

/// How many warps of `kernel`, structured for warps in step, are to run in step: fewer the more code that makes. 1: none,
/// since it is of no use, or a barrier stands where warps part.
///
/// Errors: unsupported for control flow that is not structured.
Result<unsigned> warps_in_step(llvm::Function& kernel, const BlockShape& shape,
                               llvm::FunctionAnalysisManager& analyses);

/// Of warp number `warp` in a block with `extents`: its number in its row of x, and its row.
std::array<llvm::Value*, 3> warp_index(llvm::IRBuilder<>& builder, const BlockShape& shape,
                                       const std::array<llvm::Value*, 3>& extents, llvm::Value* warp);

/// Has `warp`, if all warps of a block of `shape` are in step, keep what it has stored in shared memory as a value where it loads it
/// again, and not store what nobody loads. LLVM does the first, but not the second: it takes the memory for its caller's.
void forward_shared(llvm::Function& warp, const BlockShape& shape);

/// Does `one` leave memory as it is but for arrays that are parameters, which it stores to as anyone?
bool is_harmless(const llvm::Instruction& one);

/// May, and should, blocks of `warp` that lie in one row of the grid go on row by row: the first rows of all of them, then the
/// second ones? Then memory is gone over in its order. Where threads do not wait for each other, and what the row of a block
/// reaches follows what that of the block before it reaches.
bool goes_by_rows(llvm::Function& warp, const BlockShape& shape);

// In check/broadcasts.cpp, with what else a kernel does that it must not.

/// Where all threads of a block of `shape`, whose warps are not all in step, read a place of shared memory and `kernel`, structured,
/// then writes it with no barrier between, puts one there, and warns of what is a race for certain.
void part_broadcasts(llvm::Function& kernel, const BlockShape& shape);

// widen.cpp

/// A new function that does for a whole warp of `lanes` threads what `kernel`, whose control flow is structured, does for one.
/// What is the same in all lanes stays as it is; else a value is a vector with an element a lane, and a region for which lanes
/// part runs, if any lane is for it, with the others masked. With more than one of `warps`, for that many in step: each
/// instruction for all of them before the next one, but once what is the same for all. `kernel` stays.
///
/// Errors: unsupported for control flow that is not structured.
Result<llvm::Function*> widen(llvm::Function& kernel, unsigned lanes, unsigned warps,
                              llvm::FunctionAnalysisManager& analyses);

// prefetches.cpp

/// Has `warp`, which is widened for a block of `shape`, ask for memory before it uses it, in loops whose index goes up by the
/// grid's extent, when they have gone over more than caches have. The first such loop has calls of call::kTurn, where the memory of
/// a block is its own as yet.
void add_prefetches(llvm::Function& warp, const BlockShape& shape);

/// Asks for a value of `type` at `address`, line by line, into the second level of caches.
void ask_for(llvm::IRBuilder<>& builder, llvm::Value* address, llvm::Type& type);

// tiles.cpp

/// Has `warp`, which is widened for a block of `shape` whose warps are all in step, ask for the tiles that a loop with barriers reads
/// an iteration ahead, where each lies so far from the last one that no processor expects it. Tiles that are the same for all blocks
/// of a column of the grid are read from where the first of these blocks has put them one behind the other, at call::kPacked; and shared
/// memory that is a copy of what is the same for all blocks of a row, from where the first of those has, at call::kKept.
void place_tiles(llvm::Function& warp, const BlockShape& shape);

/// At the beginning of a launch no tiles are there in `memory`, which has tiles_bytes(has_rows).
void begin_tiles(llvm::IRBuilder<>& builder, llvm::Value* memory, bool has_rows);
/// Begins the tiles of `owner` at `tiles`, if those that are there are another one's. `is_shared`: does another block read them?
void own_tiles(llvm::IRBuilder<>& builder, llvm::Value* tiles, llvm::Value* owner, llvm::Value* is_shared);

// packed_tiles.cpp

/// The rows of a tile, a load each.
using Tile = std::vector<llvm::LoadInst*>;

/// Is `value` the same in the same iteration of a loop, whose only block is `body`, for all blocks that differ in the index `other` alone?
bool is_same_across(const llvm::Value* value, const llvm::BasicBlock& body, std::string_view other);

/// Has blocks share what `loop`, which has one block and none around it, reads: `tiles`, which are the same for all of a column, and
/// what it copies to shared memory for all of a row. `between` is called while the loop still has one block.
void pack_tiles(llvm::Loop& loop, std::vector<Tile> tiles, llvm::function_ref<void()> between);

/// Room for tiles of a column of the grid, at call::kPacked, and of a row, at call::kKept; tiles follow a kmux_cpu_tiles, an
/// iteration's behind those of the one before. What one iteration has there lies in a first or second level of caches. Units: bytes.
inline constexpr std::uint64_t kTilesHeaderBytes = 64;
inline constexpr std::uint64_t kPackedBytes = 256 << 10;
inline constexpr std::uint64_t kKeptBytes = (128 << 10) + kTilesHeaderBytes;
inline constexpr unsigned kMostOfColumn = 16;  // blocks that follow one another
/// Of a column, and of its rows where these have some.
constexpr std::uint64_t tiles_bytes(bool has_rows) {
  return kPackedBytes + (has_rows ? kMostOfColumn * kKeptBytes : 0);
}

// join_values.cpp

/// Has `group` compute once what is the same, and know of one index of a loop what it knows of those a constant apart.
void join_values(llvm::Function& group);

// barriers.cpp

/// A loop over the warps of a block, whose body is the code of a warp, or of several in step, which are one warp here. Or over
/// the blocks of a group, each of which is one warp.
struct WarpLoop {
  llvm::PHINode* warp;  // the number of the warp, in `header`
  llvm::BasicBlock* header;  // computes what the body needs of the number, then goes to it
  llvm::BasicBlock* latch;  // where the body ends; asks for the next warp
  llvm::BasicBlock* exit;
  llvm::Value* count;  // warps
  llvm::Value* memory;  // where frames lie, one a warp, aligned to 64 bytes
  llvm::Value*
      goes_on;  // has the block waited for the grid before, and goes on where its frames say? null: there is no such barrier
};

/// Begins a loop over `count`, which is at least one, at the place of `builder`, which goes on in its header. After the last one it
/// goes to `exit`.
WarpLoop begin_loop(llvm::IRBuilder<>& builder, const char* name, llvm::Value* count, llvm::BasicBlock* exit);
/// Writes the latch of `loop`.
void end_loop(llvm::IRBuilder<>& builder, const WarpLoop& loop);

/// What waits make of a loop over warps.
struct WarpWaits {
  std::uint64_t frame_bytes = 0;  // of a warp
  llvm::Value* for_grid = nullptr;  // at the loop's exit: does a warp wait for the grid? null as `goes_on`
};

/// Has the warps of `loop` wait for each other where the body has a barrier: each runs to its next barrier, keeps what it needs
/// after it in its frame, and the next one runs; round by round until all have ended or wait for the grid, where the block is left.
/// A loop without barriers is not unrolled. Frames have no bytes if there is no barrier, or only one warp, which waits for nobody in its block.
WarpWaits add_barriers(llvm::Function& block, const WarpLoop& loop);

/// The same for blocks of a group that take turns: each runs to its next call of call::kTurn, and the next one runs. Returns the
/// bytes of a block's frame.
std::uint64_t add_turns(llvm::Function& group, const WarpLoop& loop);

// blocks.cpp

/// What runs the blocks of a kernel, and what a launch must know of it.
struct BlocksFunction {
  llvm::Function& function;
  std::uint64_t frame_bytes;  // of a warp, in the memory of a block
  bool is_cooperative;
  std::uint32_t
      column_rows;  // of a column of the grid, that follow one another; 0: the grid is gone through by its rows
};

/// Makes of `warp` the function
///
///     void NAME.blocks(const void* arguments, const kmux_cpu_grid*, uint64_t first, uint64_t end, char* memory)
///
/// that runs the blocks of `kernel`, whose name it takes, from `first` to before `end` one after another. `arguments` is how its
/// arguments lie in memory; `shared_bytes` are those of its own shared variables.
BlocksFunction add_blocks(llvm::Function& kernel, llvm::Function& warp, llvm::StructType& arguments,
                          const BlockShape& shape, std::uint64_t shared_bytes);

// lower.cpp

/// Errors: internal with `problem`, which is followed by what to do, if LLVM's verifier finds fault with `function`.
Status check_code(const llvm::Function& function, const std::string& problem);

/// All of these: replaces each kernel of `kernels`, written for one thread of a GPU, by a function of the same name that runs a grid
/// of blocks on this processor. Those that cannot be widened run a fiber a thread instead; with `check`, all do
/// (check/fiber_kernels.h). Returns why for each that cannot be widened.
///
/// Errors: unsupported for what cannot run here, named; the module is of no use then.
Result<std::vector<Error>> lower_kernels(llvm::Module& module, const BlockExtents& kernels, const CheckOptions& check);

// private_arrays.cpp

/// Suffixes of the names of the globals by which the runtime knows a kernel: kmux_cpu_kernel, kmux_cpu_fiber_kernel.
inline constexpr const char* kFactsOfBlocks = ".facts";
inline constexpr const char* kFactsOfFibers = ".fibers";

/// Returns true if `function` has an array whose size is chosen while it runs.
bool has_dynamic_array(const llvm::Function& function);

/// Errors: unsupported if `kernel`, or a function that it calls, has larger arrays than a thread of a GPU may have.
Status check_private_arrays(llvm::Function& kernel);

/// Moves what is left of large private arrays, once `module` is optimised, from the caller's stack into the memory of the launch, and
/// writes down how much stack the threads of kernels on fibers need.
void place_private_arrays(llvm::Module& module);

// engine/scales.cpp

/// Has AVX-512 do what kernels call "kmux.scale." for (thread_calls.h), in vectors as wide as `machine` prefers.
void place_scales(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace kmux::cpu::spmd

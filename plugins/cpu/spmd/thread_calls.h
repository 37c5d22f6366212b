#pragma once

#include <string>
#include <string_view>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"

namespace kmux::cpu::spmd {

/// The functions by which device code and the steps of this folder ask what a thread is and does, by name. Those of the first
/// group are declared by the files of device/; the others stand between two steps only.
namespace call {
inline constexpr std::string_view kThread[] = {"kmux.thread.x", "kmux.thread.y", "kmux.thread.z"};  // threadIdx
inline constexpr std::string_view kBlock[] = {"kmux.block.x", "kmux.block.y", "kmux.block.z"};  // blockIdx
inline constexpr std::string_view kBlockDim[] = {"kmux.block_dim.x", "kmux.block_dim.y", "kmux.block_dim.z"};
inline constexpr std::string_view kGridDim[] = {"kmux.grid_dim.x", "kmux.grid_dim.y", "kmux.grid_dim.z"};
inline constexpr std::string_view kLane = "kmux.lane";  // of its warp
inline constexpr std::string_view kOfWideWarp = ".64";  // ends the names of the three of a warp where that has 64 lanes
inline constexpr std::string_view kBarrier = "kmux.barrier";  // of the block
inline constexpr std::string_view kGridBarrier = "kmux.grid_barrier";  // of all blocks
inline constexpr std::string_view kCooperative = "kmux.cooperative";  // may blocks wait for each other in this launch?
inline constexpr std::string_view kShuffle = "kmux.shuffle";  // (value, lane): the value of that lane
inline constexpr std::string_view kBallot = "kmux.ballot";  // (condition): a bit for each active lane that has it
inline constexpr std::string_view kSyncWarp = "kmux.sync_warp";  // memory is the same for all lanes that take part
inline constexpr std::string_view kParticipants =
    "kmux.participants";  // (mask): of the warp calls from here on; 0: any
inline constexpr std::string_view kDynamic = "kmux.dynamic";  // the dynamic shared memory
inline constexpr std::string_view kScale = "kmux.scale.";  // and its type: (x, n): x times 2^n

inline constexpr std::string_view kAll = "kmux.all";  // (condition): have all lanes it? Where all are active.
inline constexpr std::string_view kShared = "kmux.shared";  // (offset): a place in the shared memory of the block
inline constexpr std::string_view kTurn = "kmux.turn";  // other blocks may go on here before this one does
inline constexpr std::string_view kPacked =
    "kmux.packed";  // the memory for tiles of a column of the grid (kmux_cpu_tiles in runtime/launch.h)
inline constexpr std::string_view kKept = "kmux.kept";  // that for tiles of a row
// (i): threadIdx of lane 0 of the i-th of the warps in step
inline constexpr std::string_view kWarp[] = {"kmux.warp.x", "kmux.warp.y", "kmux.warp.z"};
}  // namespace call

/// The attribute of a kernel's parameter that is the address of a structure put together by the launch: its size in bytes.
inline constexpr const char* kRecordMemory = "kmux-record-memory";
/// Returns the number that `attribute` of `argument` has; 0 without one.
unsigned number_of(const llvm::Argument& argument, const char* attribute);

/// The function of this folder that `value` calls, without kOfWideWarp, or "" if it is none.
std::string_view called(const llvm::Value* value);
/// Does `value` call `name`?
inline bool calls(const llvm::Value* value, std::string_view name) { return called(value) == name; }
/// Does `value` wait for the threads of its block, or of the grid?
inline bool is_barrier(const llvm::Value* value) {
  return calls(value, call::kBarrier) || calls(value, call::kGridBarrier);
}
/// Does `value` call one of call::kWarp?
inline bool is_warp_index(const llvm::Value* value) { return called(value).starts_with("kmux.warp."); }

/// Of how many threads the rows are that `kernel`, whose scalars have left memory, makes of threadIdx.x by quotients and remainders: 8 or
/// 16, but not fewer than a vector has; 0 if it makes none of these. What is the same for a row is the same for a warp then.
unsigned seen_row(const llvm::Function& kernel);

/// Does `address` lie in the shared memory of the block, whatever way it comes?
bool is_of_block(const llvm::Value* address);

/// Does `function` call `name`?
bool has_call(const llvm::Function& function, std::string_view name);
/// Puts `with` in the place of all that `function` is told by calls of `name`.
void replace_calls(llvm::Function& function, std::string_view name, llvm::Value* with);
/// Has `function` find the shared memory of its block, of which it asks for places, at `memory`.
void replace_shared(llvm::Function& function, llvm::Value* memory);

/// A call of `name` at the place of `builder`. Those that return something touch no memory.
llvm::CallInst* make_call(llvm::IRBuilder<>& builder, std::string_view name, llvm::Type* result,
                          llvm::ArrayRef<llvm::Value*> arguments = {});

/// The file of `place`, a llvm::DILocation or llvm::DISubprogram. A header that a source includes is found in ".", which is no part of it.
template <class Place>
llvm::StringRef file_of(const Place& place) {
  llvm::StringRef file = place.getFilename();
  file.consume_front("./");
  return file;
}
/// "k.cu:12" of such a place, "" of null.
template <class Place>
std::string place_of(const Place* place) {
  return place == nullptr ? "" : file_of(*place).str() + ":" + std::to_string(place->getLine());
}

/// The end of a message about `instruction`: " (k.cu:12)." where the module has lines, else ".".
std::string location_of(const llvm::Instruction& instruction);

}  // namespace kmux::cpu::spmd

#pragma once

#include <string>
#include <string_view>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"

namespace kmux::simt {

/// Functions, by name, with which device code and the passes of this folder query threads and act on them. The first
/// group is declared by the files of device/; the others exist only between two passes.
namespace call {
inline constexpr std::string_view kThread[] = {"kmux.thread.x", "kmux.thread.y", "kmux.thread.z"};  // threadIdx
inline constexpr std::string_view kBlock[] = {"kmux.block.x", "kmux.block.y", "kmux.block.z"};  // blockIdx
inline constexpr std::string_view kBlockDim[] = {"kmux.block_dim.x", "kmux.block_dim.y", "kmux.block_dim.z"};
inline constexpr std::string_view kGridDim[] = {"kmux.grid_dim.x", "kmux.grid_dim.y", "kmux.grid_dim.z"};
inline constexpr std::string_view kClusterDim[] = {"kmux.cluster_dim.x", "kmux.cluster_dim.y",
                                                   "kmux.cluster_dim.z"};  // blocks of a cluster
inline constexpr std::string_view kLane = "kmux.lane";  // index in its warp
inline constexpr std::string_view kOfWideWarp = ".64";  // suffix of the three warp functions if a warp has 64 lanes
inline constexpr std::string_view kBarrier = "kmux.barrier";  // of the block
inline constexpr std::string_view kGridBarrier = "kmux.grid_barrier";  // of all blocks
inline constexpr std::string_view kCooperative = "kmux.cooperative";  // true if blocks may wait for each other
inline constexpr std::string_view kShuffle = "kmux.shuffle";  // (value, lane): the value of that lane
inline constexpr std::string_view kBallot = "kmux.ballot";  // (condition): a bit for each active lane that has it
inline constexpr std::string_view kSyncWarp = "kmux.sync_warp";  // makes memory the same for all participating lanes
inline constexpr std::string_view kParticipants =
    "kmux.participants";  // (mask): participants of later warp calls; 0: any
inline constexpr std::string_view kDynamic = "kmux.dynamic";  // the dynamic shared memory
inline constexpr std::string_view kDivisor =
    "kmux.divisor.i";  // and its bits: (n), which may not be folded before calls are inlined
inline constexpr std::string_view kUnit =
    "kmux.unit.";  // and its name: a unit of a GPU that works beside threads (simt/units/unit_calls.h)
inline constexpr std::string_view kNote =
    "kmux.note.";  // and its name: an event for the checks of a kernel, without other effect (simt/units/note_calls.cpp)
inline constexpr std::string_view kScale = "kmux.scale.";  // and its type: (x, n): x times 2^n

inline constexpr std::string_view kAll = "kmux.all";  // (condition): true if all lanes have it; all must be active
inline constexpr std::string_view kShared = "kmux.shared";  // (offset): an address in the shared memory of the block
inline constexpr std::string_view kTurn = "kmux.turn";  // a yield point: other blocks may run before this one does
inline constexpr std::string_view kPacked =
    "kmux.packed";  // memory for tiles of a grid column (kmux_cpu_tiles in runtime/launch.h)
inline constexpr std::string_view kKept = "kmux.kept";  // memory for tiles of a grid row
// (i): position of warp i of those in lockstep: its number in its row of x, and the y and z of the row
inline constexpr std::string_view kWarp[] = {"kmux.warp.x", "kmux.warp.y", "kmux.warp.z"};
}  // namespace call

/// The attribute of a kernel's parameter that is the address of a structure built by the launch: its size in bytes.
inline constexpr const char* kRecordMemory = "kmux-record-memory";
/// Returns the number in `attribute` of `argument`; 0 if it is missing.
unsigned number_of(const llvm::Argument& argument, const char* attribute);

/// Returns the name of the kmux function that `value` calls, without kOfWideWarp, or "" if it calls none.
std::string_view called(const llvm::Value* value);
/// Returns true if `value` calls `name`.
inline bool calls(const llvm::Value* value, std::string_view name) { return called(value) == name; }
/// Returns true if `value` is a barrier of the block or of the grid.
inline bool is_barrier(const llvm::Value* value) {
  return calls(value, call::kBarrier) || calls(value, call::kGridBarrier);
}
/// Returns true if `value` calls a unit of a GPU: threads that do so run on fibers.
inline bool is_unit_call(const llvm::Value* value) { return called(value).starts_with(call::kUnit); }
/// Returns true if `value` is a note for checks.
inline bool is_note_call(const llvm::Value* value) { return called(value).starts_with(call::kNote); }
/// Returns true if `value` calls one of call::kWarp.
inline bool is_warp_index(const llvm::Value* value) { return called(value).starts_with("kmux.warp."); }

/// Returns the length of the rows into which `kernel` divides threadIdx.x by quotients and remainders. It is 8 or 16,
/// but at least the lanes of a vector, and 0 if the kernel forms no rows. Values that are uniform in a row are then
/// uniform in a warp. Scalars of `kernel` must have left memory.
unsigned seen_row(const llvm::Function& kernel);

/// Returns true if `address` is in the shared memory of the block on every path.
bool is_of_block(const llvm::Value* address);

/// Returns true if `function` calls `name`.
bool has_call(const llvm::Function& function, std::string_view name);
/// Replaces the results of all calls of `name` in `function` by `with`.
void replace_calls(llvm::Function& function, std::string_view name, llvm::Value* with);
/// Replaces calls of call::kShared in `function` by addresses in `memory`, the shared memory of its block.
void replace_shared(llvm::Function& function, llvm::Value* memory);

/// Emits a call of `name` at the insertion point of `builder`. Functions that return a value access no memory.
llvm::CallInst* make_call(llvm::IRBuilder<>& builder, std::string_view name, llvm::Type* result,
                          llvm::ArrayRef<llvm::Value*> arguments = {});

/// Returns the file of `place`, a llvm::DILocation or llvm::DISubprogram, without the "./" of a header that a source
/// includes.
template <class Place>
llvm::StringRef file_of(const Place& place) {
  llvm::StringRef file = place.getFilename();
  file.consume_front("./");
  return file;
}
/// Returns "k.cu:12" for such a place, "" for null.
template <class Place>
std::string place_of(const Place* place) {
  return place == nullptr ? "" : file_of(*place).str() + ":" + std::to_string(place->getLine());
}

/// Returns the end of a message about `instruction`: " (k.cu:12)." if the module has lines, else ".".
std::string location_of(const llvm::Instruction& instruction);

}  // namespace kmux::simt

#pragma once

#include <span>
#include <string>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"

namespace kmux::simt {

/// Constants for the source lines of instructions (kmux_cpu_site), a separate one for each.
class Sites {
 public:
  /// Reports lines of files in `own_folder` as the lines of the user's code into which they are inlined.
  Sites(llvm::Module& module, llvm::StringRef own_folder) : module_(module), own_folder_(own_folder) {}

  /// Returns the constant of `instruction`; null if its line is not known.
  llvm::Constant* of(const llvm::Instruction& instruction);

 private:
  llvm::Module& module_;
  const llvm::StringRef own_folder_;
};

/// Returns `text` as a constant C string, the same constant for the same text.
llvm::Constant* text_constant(llvm::Module& module, llvm::StringRef text);

/// Returns a new constant with this content.
llvm::Constant* own_constant(llvm::Module& module, llvm::Constant* content);

/// The functions that instrumented code calls, defined in check/fiber_launch.cpp.
namespace call {
inline constexpr const char* kPoll = "kmux.poll";  // (): before a read by which a thread may wait for another one
inline constexpr const char* kStack = "kmux.check.stack";  // (name of the function that may call itself)
inline constexpr const char* kArray = "kmux.check.array";  // (name of the function, bytes of its array)
inline constexpr const char* kQuotient =
    "kmux.check.quotient";  // (bit: by 0, bit: least integer by -1, site): of the division that follows
inline constexpr const char* kRegisters =
    "kmux.check.registers";  // (bit: its results are used, site of a wgmma, site of the use or write, or null)
inline constexpr const char* kSite = "kmux.check.site";  // (site): of the barrier or warp call that follows
inline constexpr const char* kAccess = "kmux.check.access";  // (address, base, bytes, alignment, kind, value, site)
inline constexpr const char* kVariable = "kmux.check.variable";  // (address, base, bytes, size, kind, site)
inline constexpr const char* kCopy = "kmux.check.copy";  // (to, base, alignment, from, base, alignment, bytes, site)
inline constexpr const char* kRecord =
    "kmux.check.record";  // (to or null, from, bytes, site): of the copy that follows
inline constexpr const char* kFill = "kmux.check.fill";  // (to, base, alignment, value, bytes, site)
// A bit, as an int, is 1 for a value that came from a lane that does not participate:
inline constexpr const char* kOffer =
    "kmux.check.offer";  // (bit): of the value that the next shuffle offers to other lanes
inline constexpr const char* kTaken = "kmux.check.taken";  // bit (): of the value that the last shuffle took
inline constexpr const char* kReturns = "kmux.check.returns";  // (bit): of the value that the ending function returns
inline constexpr const char* kReturned = "kmux.check.returned";  // bit (): of the value that the last call returned
inline constexpr const char* kUndefined = "kmux.check.undefined";  // (bit, site): of the value that is written there
}  // namespace call

/// Inserts call::kRecord before each copy of a record, and marks the reads of `function`, which are those of its
/// sources. Later, LLVM may turn copies into reads of members, and of the padding between them.
void note_records(llvm::Function& function, llvm::StringRef own_folder);

/// Inserts a check before each memory access of `function`, and the source line before each barrier and warp call.
/// `own_folder`: lines of files in it are reported as the lines of the user's code into which they are inlined.
/// Preconditions: note_records.
void instrument(llvm::Function& function, llvm::StringRef own_folder);

/// Instruments `functions`, all that a kernel reaches, to report writes to memory of values that a shuffle took from a
/// lane that does not participate. `own_folder`: as for instrument.
void watch_lanes(std::span<llvm::Function* const> functions, llvm::StringRef own_folder);

}  // namespace kmux::simt

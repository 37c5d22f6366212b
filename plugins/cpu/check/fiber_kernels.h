#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kmux/error.h"

#include "check/fiber_launch.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"

namespace kmux::cpu::spmd {

/// Visits the functions that `value`, an operand, names by itself or in the initial value of a variable (a table, a virtual one).
void for_each_named(llvm::Value& value, llvm::function_ref<void(llvm::Function&)> visit);

/// Marks the functions whose address `kernels`, all of a program, and what they call take: those that a pointer may lead to.
void mark_pointed(std::span<llvm::Function* const> kernels);

/// The functions with a body that `kernels` and what they call refer to or, after mark_pointed, may call through a pointer; those included.
std::vector<llvm::Function*> functions_of(std::span<llvm::Function* const> kernels);

/// Does a way of calls lead from `function` back to it?
bool calls_itself(llvm::Function& function);

/// A static shared variable of device code.
struct SharedVariable {
  std::string name;
  std::uint64_t bytes;
  std::vector<const llvm::Function*> functions;  // that name it
};

/// Has `functions`, not inlined yet, ask for their shared variables by number, and for the dynamic shared memory. Each is one
/// variable however often its function is called. Returns them in the order of their numbers.
std::vector<SharedVariable> number_shared(std::span<llvm::Function* const> functions);

/// Makes of each of `kernels`, which stay functions for one thread, what runs a fiber for each thread; with the checks, if
/// they are asked for. The launcher calls it as it would call one that was widened.
///
/// Errors: unsupported for inline assembly; internal if LLVM's verifier finds what is made of them broken.
Status run_on_fibers(std::span<llvm::Function* const> kernels, const CheckOptions& options);

// instrument.cpp

/// Constants that say where in the sources an instruction is (kmux_cpu_site), an own one for each.
class Sites {
 public:
  /// Lines of files in `own_folder` are told as those of the user's code that they are part of.
  Sites(llvm::Module& module, llvm::StringRef own_folder) : module_(module), own_folder_(own_folder) {}

  /// Null for an instruction whose place is not known.
  llvm::Constant* of(const llvm::Instruction& instruction);

 private:
  llvm::Module& module_;
  const llvm::StringRef own_folder_;
};

/// `text` as a constant C string, the same for the same text.
llvm::Constant* text_constant(llvm::Module& module, llvm::StringRef text);

/// A constant of its own with this content.
llvm::Constant* own_constant(llvm::Module& module, llvm::Constant* content);

/// The functions that instrumented code calls (check/fiber_launch.cpp has them).
namespace call {
inline constexpr const char* kPoll = "kmux.poll";  // (): before a read by which a thread may wait for another one
inline constexpr const char* kStack = "kmux.check.stack";  // (name of the function that may call itself)
inline constexpr const char* kArray = "kmux.check.array";  // (name of the function, bytes of its array)
inline constexpr const char* kSite = "kmux.check.site";  // (site): of the barrier or warp call that follows
inline constexpr const char* kAccess = "kmux.check.access";  // (address, base, bytes, alignment, kind, value, site)
inline constexpr const char* kVariable = "kmux.check.variable";  // (address, base, bytes, size, kind, site)
inline constexpr const char* kCopy = "kmux.check.copy";  // (to, base, alignment, from, base, alignment, bytes, site)
inline constexpr const char* kRecord =
    "kmux.check.record";  // (to or null, from, bytes, site): of the copy that follows
inline constexpr const char* kFill = "kmux.check.fill";  // (to, base, alignment, value, bytes, site)
// Of a value that came from a lane which does not take part; a bit, as an int, says so:
inline constexpr const char* kOffer =
    "kmux.check.offer";  // (bit): is it what the shuffle that follows gives to others?
inline constexpr const char* kTaken = "kmux.check.taken";  // bit (): has the last shuffle taken one?
inline constexpr const char* kReturns = "kmux.check.returns";  // (bit): does the function that ends return one?
inline constexpr const char* kReturned = "kmux.check.returned";  // bit (): has the last call that ended?
inline constexpr const char* kUndefined = "kmux.check.undefined";  // (bit, site): is one written there?
}  // namespace call

/// Has each copy of a record say so, and marks the reads of `function`, which are those of its sources: afterwards LLVM may
/// make reads of members out of copies, of what lies between members too.
void note_records(llvm::Function& function, llvm::StringRef own_folder);

/// Has each access to memory of `function`, and each barrier and warp call, say where it is before it takes place.
/// `own_folder`: lines of files in it are told as those of the user's code that they are part of.
/// Preconditions: note_records.
void instrument(llvm::Function& function, llvm::StringRef own_folder);

// undefined_lanes.cpp

/// Has `functions`, all that a kernel reaches, say where they write to memory what a shuffle has taken from a lane that does not take
/// part in it. `own_folder` as for instrument.
void watch_lanes(std::span<llvm::Function* const> functions, llvm::StringRef own_folder);

}  // namespace kmux::cpu::spmd

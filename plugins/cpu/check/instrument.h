#pragma once

#include "llvm/IR/Function.h"

namespace kmux::cpu::spmd {

/// The functions that instrumented code calls (check/fiber_calls.cpp has them).
namespace call {
inline constexpr const char* kSite = "kmux.check.site";          // (site): of the barrier or warp call that follows
inline constexpr const char* kAccess = "kmux.check.access";  // (address, base, bytes, alignment, kind, value, site)
inline constexpr const char* kVariable = "kmux.check.variable";  // (address, base, bytes, size, kind, site)
inline constexpr const char* kCopy = "kmux.check.copy";  // (to, base, alignment, from, base, alignment, bytes, site)
inline constexpr const char* kFill = "kmux.check.fill";  // (to, base, alignment, value, bytes, site)
}  // namespace call

/// Has each access to memory of `function`, and each barrier and warp call, say where it is before it takes place.
/// `own_folder`: lines of files in it are told as those of the user's code that they are part of.
void instrument(llvm::Function& function, llvm::StringRef own_folder);

}  // namespace kmux::cpu::spmd

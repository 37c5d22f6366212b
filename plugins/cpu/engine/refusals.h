#pragma once

#include <optional>
#include <string_view>

#include "kmux/error.h"

#include "llvm/IR/Module.h"

namespace kmux::cpu {

/// The error for a source of a device dialect that uses what only a GPU has, by the compiler's text `log`: the construct,
/// file and line of the first error, if that is of this kind. Headers of device/ mark such things with KMUX_REFUSED.
std::optional<Error> refusal_of(std::string_view log);

/// Replaces the inline PTX of `module` that has an obvious meaning: what reads the registers %laneid and %lanemask_*, for which
/// CUDA C++ has no function, and an empty text, which only keeps a compiler from moving code.
void replace_assembly(llvm::Module& module);

}  // namespace kmux::cpu

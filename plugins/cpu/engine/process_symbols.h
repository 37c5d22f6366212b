#pragma once

#include <memory>
#include <string>

#include "llvm/ExecutionEngine/Orc/Core.h"

namespace kmux::cpu {

/// Finds symbols as a dynamically linked C++ program would: in the program and its libraries, then in libc, libm,
/// libstdc++ and libgcc_s, which a program in C need not have.
std::unique_ptr<llvm::orc::DefinitionGenerator> process_symbols();

/// What to do about `symbol`, which was not found.
std::string advice_for_missing(const std::string& symbol);

}  // namespace kmux::cpu

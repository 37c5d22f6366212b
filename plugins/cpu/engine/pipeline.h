#pragma once

#include <memory>
#include <string>

#include "kmux/error.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "options.h"

namespace kmux::cpu {

/// The code generator for `cpu`, position-independent.
///
/// Errors: internal if LLVM was built without this machine's target.
Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const std::string& cpu, unsigned opt_level, Tier tier);

/// Runs LLVM's pipeline of -O`opt_level` over `module`; in the fast tier a short one, unless `opt_level` is 0.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, unsigned opt_level, Tier tier);

/// `module` as a relocatable ELF object.
Result<std::string> emit_object(llvm::Module& module, llvm::TargetMachine& machine);

/// Sends what LLVM says about modules of `context` to `log` from now on.
///
/// Lifetime: borrows `log`. Clang leaves a handler that points into the finished front end, so call this after it.
void capture_messages(llvm::LLVMContext& context, std::string& log);

}  // namespace kmux::cpu

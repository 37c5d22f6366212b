#pragma once

#include <memory>
#include <string>

#include "kmux/error.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "simt/frontend/job.h"

namespace kmux::simt {

/// Registers LLVM's targets. Every function that uses LLVM's code generator must call it first.
///
/// Threads: any; does its work once.
void initialize_llvm();

/// Returns the code generator for `cpu`, position-independent.
///
/// Errors: internal if LLVM was built without the target of `cpu`.
Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const std::string& cpu, unsigned opt_level, Tier tier);

/// Returns `module` as a relocatable ELF object, after `write_frame_sizes`.
Result<std::string> emit_object(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace kmux::simt

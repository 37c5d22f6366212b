#pragma once

#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"

namespace kmux::cpu::spmd {

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

}  // namespace kmux::cpu::spmd

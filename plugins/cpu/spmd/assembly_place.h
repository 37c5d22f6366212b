#pragma once

#include <string>

#include "llvm/IR/Instruction.h"
#include "llvm/IR/Metadata.h"

namespace kmux::cpu::spmd {

/// Notes at `assembly`, a call of inline assembly, where in the sources it stands: "k.cu:3".
inline void set_place(llvm::Instruction& assembly, const std::string& place) {
  llvm::LLVMContext& context = assembly.getContext();
  assembly.setMetadata("kmux.place", llvm::MDNode::get(context, llvm::MDString::get(context, place)));
}

/// The place, or "" if none was noted.
inline std::string place_of(const llvm::Instruction& assembly) {
  const llvm::MDNode* const note = assembly.getMetadata("kmux.place");
  return note == nullptr ? "" : llvm::cast<llvm::MDString>(note->getOperand(0))->getString().str();
}

}  // namespace kmux::cpu::spmd
